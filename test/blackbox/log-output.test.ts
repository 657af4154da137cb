import { describe, expect, test } from "bun:test";
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { CAN_MOUNT, useDisks } from "../support/disk.ts";
import { eventually, TIMEOUT_MS } from "../support/eventually.ts";
import { ENVIRONMENT, EXECUTABLE } from "../support/executable.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";

const disk = useDisks();
const { install } = useMainstay();

type LogLine = { msg: string } & Record<string, Json>;

const linesOf = (text: string): LogLine[] =>
  text
    .split("\n")
    .slice(0, -1)
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** A server whose standard output the shell sends somewhere. */
async function serveInto(target: string) {
  const { folder, configFile, dataDir, database } = install();
  await database?.isMade;
  const command = `exec "$0" serve --port 0 --config "$1" --data-dir "$2" > ${target}`;
  const child = Bun.spawn(["bash", "-c", command, EXECUTABLE, configFile, dataDir], {
    cwd: folder,
    env: ENVIRONMENT,
    stdio: ["ignore", "ignore", "pipe"],
  });
  return {
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
      const code = await child.exited;
      clearTimeout(timer);
      return { code, stderr: await new Response(child.stderr).text() };
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const listening = (text: string) => {
  const line = linesOf(text).find(({ msg }) => msg === "listening");
  if (!line) throw new Error(`not listening yet: ${text}`);
  return line;
};

async function droppedAt(adminUrl: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^mainstay_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
}

/**
 * Returns the number of lines that the log itself reports as missing. It reports them more than once if a short
 * line found room in between.
 */
function reportedIn(text: string): number {
  const reported = linesOf(text).filter(({ msg }) => msg.startsWith("log lines dropped"));
  for (const { level } of reported) expect(level).toBe("warn");
  return reported.reduce((sum, { dropped }) => sum + dropped, 0);
}

/** Asks, with answers as good as ever, until lines are dropped; how many. */
async function askUntilDropped({ url, admin_url }: LogLine): Promise<number> {
  return await eventually(async () => {
    const headers = { "x-request-id": "x".repeat(128) };
    const asked = Array.from({ length: 500 }, () => fetch(`${url}/v1/ping`, { headers }));
    for (const response of await Promise.all(asked)) expect(response.status).toBe(401);
    const dropped = await droppedAt(admin_url);
    expect(dropped).toBeGreaterThan(0);
    return dropped;
  });
}

describe("blocked standard output", () => {
  // Rule: log-never-blocks
  test("as a pipe without a reader delays no request; lines are dropped, counted and reported", async () => {
    const fifo = join(install().folder, "log");
    expect(Bun.spawnSync(["mkfifo", fifo]).success).toBe(true);
    const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    let text = "";
    const read = () => {
      const bytes = Buffer.alloc(1 << 20);
      try {
        const taken = readSync(reader, bytes);
        text += bytes.toString("utf8", 0, taken);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      }
    };
    const server = await serveInto(fifo);
    const started = await eventually(() => {
      read();
      return listening(text);
    });
    const dropped = await askUntilDropped(started);
    await eventually(async () => {
      read();
      const reported = reportedIn(text.slice(0, text.lastIndexOf("\n") + 1));
      expect(reported).toBeGreaterThanOrEqual(dropped);
      expect(await droppedAt(started.admin_url)).toBe(reported);
    });
    await askUntilDropped(started);
    expect(await server.stop()).toEqual({ code: 0, stderr: "" });
    closeSync(reader);
  });

  test("as a socket, such as a journal's, behaves the same", async () => {
    const sockets: Socket[] = [];
    let text = "";
    const journal = createServer((socket) => {
      sockets.push(socket);
      socket.on("data", (bytes) => {
        text += bytes;
        if (text.includes('"listening"')) socket.pause();
      });
      socket.on("error", () => {});
    });
    await new Promise<void>((resolve) => journal.listen(0, "127.0.0.1", resolve));
    const server = await serveInto(`/dev/tcp/127.0.0.1/${(journal.address() as { port: number }).port}`);
    const started = await eventually(() => listening(text));
    await askUntilDropped(started);
    expect(await server.stop()).toEqual({ code: 0, stderr: "" });
    for (const socket of sockets) socket.destroy();
    journal.close();
  });

  test("closed by its reader does not stop the server", async () => {
    const fifo = join(install().folder, "log");
    Bun.spawnSync(["mkfifo", fifo]);
    const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    const server = await serveInto(fifo);
    let text = "";
    const started = await eventually(() => {
      const bytes = Buffer.alloc(65_536);
      text += bytes.toString("utf8", 0, readSync(reader, bytes));
      return listening(text);
    });
    closeSync(reader);
    await askUntilDropped(started);
    expect(await server.stop()).toEqual({ code: 0, stderr: "" });
  });

  test.skipIf(!CAN_MOUNT)(
    "on a full disk does not stop the server, and the log continues when there is room",
    async () => {
      const place = disk(2);
      const file = join(place.path, "log");
      const server = await serveInto(file);
      const started = await eventually(() => listening(readFileSync(file, "utf8")));
      place.fill();
      const dropped = await askUntilDropped(started);
      place.free();
      await fetch(`${started.url}/v1/ping`);
      await eventually(() => {
        const lines = readFileSync(file, "utf8").split("\n");
        // The line that no longer fitted is cut anywhere.
        const whole = lines.filter((line) => !line.startsWith("{") || isJson(line));
        expect(lines.length - whole.length).toBeLessThanOrEqual(1);
        expect(reportedIn(whole.join("\n"))).toBeGreaterThanOrEqual(dropped);
      });
      expect(await server.stop()).toEqual({ code: 0, stderr: "" });
    },
  );
});
