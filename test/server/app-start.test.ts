import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/config/load-config.ts";
import { createLogger } from "../../src/logging/logger.ts";
import { startServer } from "../../src/server/start-server.ts";

const folder = mkdtempSync(join(tmpdir(), "mainstay-app-start-"));
afterAll(() => rmSync(folder, { recursive: true }));

const depsOn = (port: number) => ({
  config: loadConfig({
    cwd: folder,
    env: {
      MAINSTAY_SERVER__PORT: String(port),
      MAINSTAY_ADMIN__LISTEN: "127.0.0.1:0",
      MAINSTAY_SNAPSHOT__ENABLED: "false",
    },
  }),
  env: {},
  clock: Date.now,
  random: (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  log: createLogger({ level: "silent", format: "json", destination: { write: () => {} } }),
});

test("a failed start releases the data folder for the next one, also in the same process", async () => {
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
  const { port } = blocker.address() as { port: number };
  for (let nth = 0; nth < 2; nth++)
    await expect(startServer(depsOn(port))).rejects.toThrow(`the address 127.0.0.1:${port} is in use`);
  blocker.close();
  const app = await startServer(depsOn(0));
  expect((await fetch(`${app.url}/health`)).status).toBe(200);
  await expect(startServer(depsOn(0))).rejects.toThrow("another Mainstay server is already running");
  await app.stop();
});
