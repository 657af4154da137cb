import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/config/load-config.ts";
import { createLogger } from "../../src/logging/logger.ts";
import { openServerDataFolder } from "../../src/server/server-data-folder.ts";
import { type App, startServer } from "../../src/server/start-server.ts";
import { createAdministrator } from "../../src/usecases/administration/create-or-revoke-administrator.ts";
import { createPartner } from "../../src/usecases/partners/create-partner-and-credentials.ts";
import { ApiClient, requestToken } from "../support/client.ts";
import { PROPERTY } from "../support/portfolio.ts";
import { usePostgres } from "../support/postgres.ts";

const MONTH = 30 * 86_400_000;
const folder = mkdtempSync(join(tmpdir(), "mainstay-clock-"));
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
let aheadMs = 0;
let app: App | undefined;
afterAll(async () => {
  await app?.stop();
  rmSync(folder, { recursive: true });
});
// The databases are removed after the server on one.
const postgres = usePostgres();

const client = (headers: Record<string, string>) =>
  new ApiClient(
    () => app!.url,
    headers,
    () => "",
  );

// Rule: clock-jump
test("a server on a shared database uses no clock of its own that jumps", async () => {
  const config = loadConfig({
    cwd: folder,
    env: {
      MAINSTAY_SERVER__PORT: "0",
      MAINSTAY_ADMIN__LISTEN: "127.0.0.1:0",
      MAINSTAY_SERVER__DRAIN_S: "0",
      MAINSTAY_SNAPSHOT__ENABLED: "false",
      MAINSTAY_STORAGE__URL: await postgres.newInstallation(),
    },
  });
  const log = createLogger({ level: "info", format: "json", destination: { write: () => {} } });
  const deps = { config, env: {}, clock: () => Date.now() + aheadMs, random, log };
  const { store, encryptor } = await openServerDataFolder(deps);
  const administration = { store, encryptor, random, actor: "cli:root", changed: () => {} };
  const fields = { name: "Acme", webhookUrl: "http://127.0.0.1:9/", dailyBudget: 1_000_000 };
  const { partner: made, credentials } = await createPartner(administration, fields);
  const { key } = await createAdministrator(administration, "ops");
  await store.close();
  // Wrong at first, too.
  aheadMs = MONTH;
  app = await startServer(deps);

  const { apiKey, clientId, clientSecret } = credentials;
  const partner = client({ "x-api-key": apiKey });
  const token = await requestToken(app.url, { client_id: clientId, client_secret: clientSecret });
  const once = () => partner.post("/v1/properties", PROPERTY, 201, { "idempotency-key": "once" });
  const first = await once();
  for (const jump of [0, MONTH, -MONTH]) {
    aheadMs = jump;
    const again = await once();
    expect([again.body.id, again.headers.get("idempotency-replayed")]).toEqual([first.body.id, "true"]);
    await client({ authorization: `Bearer ${token}` }).get("/v1/ping");
    const { body } = await partner.post("/v1/properties", { ...PROPERTY, address: `${jump} Elm St` });
    expect(Math.abs(Date.parse(body.created_at) - Date.now())).toBeLessThan(MONTH / 2);
  }
  aheadMs = MONTH;
  const admin = new ApiClient(
    () => app!.adminUrl!,
    { "x-api-key": key },
    () => "",
  );
  await admin.post(`/admin/partners/${made.id}/announce`, {}, 202);
  const { body } = await admin.get(`/admin/partners/${made.id}/task`);
  expect(Math.abs(Date.parse(body.task.started_at) - Date.now())).toBeLessThan(MONTH / 2);
});
