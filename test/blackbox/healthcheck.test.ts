import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { makeCertificate } from "../support/certificates.ts";
import type { Json } from "../support/json.ts";
import { type Installation, runMainstay, useMainstay } from "../support/mainstay.ts";
import { testOnSqlite } from "../support/postgres.ts";
import { lastingPort } from "../support/reserved-port.ts";

const { folder, install, serve } = useMainstay();
const portOf = ({ url }: Installation) => new URL(url).port;

/** Runs `mainstay healthcheck` for a port. Returns its exit code and JSON. */
async function check(installation: Installation, port: string | number, ...args: string[]) {
  const { code, stdout, stderr } = await installation.run(
    ...["healthcheck", "--json", "--port", String(port)],
    ...args,
  );
  const parse = (text: string): Json => (text === "" ? null : JSON.parse(text));
  return { code, result: parse(stdout), error: parse(stderr) };
}

test("a healthy server passes, and its report is included", async () => {
  const server = await serve();
  const { code, result, error } = await check(server, portOf(server));
  expect({ code, error }).toEqual({ code: 0, error: null });
  expect(result).toMatchObject({ ok: true, url: `${server.url}/health`, status_code: 200, problem: null });
  expect(result.health).toMatchObject({ status: "ok", checks: { database: "ok" } });
  expect(result.duration_ms).toBeGreaterThan(0);
  const { stdout } = await server.run("healthcheck", "--port", portOf(server));
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/health healthy \(version \S+, uptime \d+ s\)\n$/);
});

test("the address comes from the settings; for all interfaces it is loopback", async () => {
  const server = await serve();
  const port = Number(portOf(server));
  server.configure({ server: { host: "0.0.0.0", port } });
  expect(await server.json("healthcheck")).toMatchObject({
    ok: true,
    url: `http://127.0.0.1:${port}/health`,
  });
  server.configure({ server: { host: "::", port: 9 } });
  const { stderr } = await server.run("healthcheck");
  expect(stderr).toContain("http://[::1]:9/health");
});

test("a server with a self-signed certificate is queried over HTTPS", async () => {
  const { cert, key } = await makeCertificate(folder(), "self-signed");
  const server = await serve({ server: { tls_cert: cert, tls_key: key } });
  const { code, result } = await check(server, portOf(server));
  expect({ code, ok: result.ok, url: result.url }).toEqual({
    code: 0,
    ok: true,
    url: `https://127.0.0.1:${portOf(server)}/health`,
  });
});

test("proxies in the environment are not used", async () => {
  const server = await serve();
  const nowhere = "http://127.0.0.1:9";
  const env = { HTTP_PROXY: nowhere, http_proxy: nowhere, ALL_PROXY: nowhere };
  const { code } = await runMainstay(["healthcheck", "--port", portOf(server)], { env });
  expect(code).toBe(0);
});

testOnSqlite("a server that cannot store anything is found unwell", async () => {
  const server = install();
  server.expectFault(/EFBIG|disk|cannot be written|storage|SQLITE/i);
  await server.start();
  const { success } = Bun.spawnSync(["prlimit", "--pid", String(server.pid), "--fsize=4096:unlimited"]);
  expect(success).toBe(true);
  const { code, result, error } = await check(server, portOf(server));
  expect(code).toBe(1);
  expect(result).toMatchObject({ ok: false, status_code: 503, health: { status: "degraded" } });
  expect(error).toEqual({
    error: `${server.url}/health: status degraded (database: failed)`,
    hint: "Run `mainstay doctor` for details.",
  });
});

test("a refused connection is reported with a remedy", async () => {
  const server = install({ admin: { listen: "127.0.0.1:0" } });
  const port = await lastingPort();
  await server.start({ args: ["--port", String(port)] });
  await server.stop();
  const { code, result, error } = await check(server, port);
  expect(code).toBe(1);
  expect(result).toMatchObject({
    ok: false,
    status_code: null,
    problem: "connection refused",
    health: null,
  });
  expect(error.error).toBe(`http://127.0.0.1:${port}/health: connection refused`);
  expect(error.hint).toContain("server.port");
});

test("another program on the port is not a healthy server", async () => {
  const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json({ status: "ok" }) });
  const { code, result } = await check(install(), other.port!);
  await other.stop(true);
  expect({ code, problem: result.problem }).toEqual({
    code: 1,
    problem: "unexpected response (200): not a Mainstay server",
  });
});

test("only checks that need action are named", async () => {
  const checks = { database: "failed", pages: "checking", scheduler: "off", clock: "off" };
  const body = { status: "degraded", checks };
  const fetch = () => Response.json(body, { status: 503 });
  const degraded = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  const { result } = await check(install(), degraded.port!);
  await degraded.stop(true);
  expect(result.problem).toBe("status degraded (database: failed, clock: off)");
});

test("an unresponsive server fails after 5 s", async () => {
  const silent = createServer((socket) => socket.resume());
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { code, result } = await check(install(), (silent.address() as { port: number }).port);
  silent.close();
  expect({ code, problem: result.problem }).toEqual({ code: 1, problem: "no response within 5 s" });
});

test("port 0 requires --port", async () => {
  const { code, stderr } = await install({ server: { port: 0 } }).run("healthcheck");
  expect(code).toBe(1);
  expect(stderr).toContain("server.port is 0");
  expect(stderr).toContain("--port");
});
