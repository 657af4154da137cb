import { expect, test } from "bun:test";
import { DrizzleQueryError } from "drizzle-orm";
import { createLogger } from "../../src/logging/logger.ts";
import { newApiKey, newWebhookSecret } from "../../src/secrets/credentials.ts";

const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);

function recorder(format: "json" | "pretty", level: "debug" | "info" = "info") {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, log: createLogger({ level, format, destination }) };
}

test("a line is a JSON object with the level as text and the time in ISO 8601", () => {
  const { lines, log } = recorder("json");
  log.info({ url: "http://127.0.0.1:8080/api" }, "listening");
  const line = JSON.parse(lines[0]!);
  expect(line).toEqual({
    level: "info",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    url: "http://127.0.0.1:8080/api",
    msg: "listening",
  });
  expect(lines[0]).toEndWith("}\n");
});

test("lines below the level are not written", () => {
  const { lines, log } = recorder("json");
  log.debug("detail");
  expect(lines).toEqual([]);
});

test("fields named like secrets are redacted at any depth, without changing the object", () => {
  const { lines, log } = recorder("json");
  const fields = {
    headers: { "X-Api-Key": "v1", Authorization: "v2", accept: "json" },
    rows: [{ client_secret: "v3" }, { webhookSecret: "v4" }],
    db: { connection: { password: "v5" } },
    access_token: "v6",
    tokens_issued: 7,
  };
  log.info(fields, "m");
  expect(lines[0]).not.toMatch(/v[1-6]/);
  expect(JSON.parse(lines[0]!)).toMatchObject({ headers: { accept: "json" }, tokens_issued: 7 });
  expect(fields.rows[0]).toEqual({ client_secret: "v3" });
});

// Rule: log-lines
test.each(["json", "pretty"] as const)("credentials in any text are redacted (%s)", (format) => {
  const { lines, log } = recorder(format);
  const [key, secret] = [newApiKey(random), newWebhookSecret(random)];
  const token = "svct_eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJQIn0.c2ln";
  log.info(`key ${key}\n${secret}`);
  log.child({ path: `/v1?token=${token}` }).warn("m");
  log.error(Object.assign(new Error(`refused ${key}`), { token }), "m");
  const written = lines.join("");
  expect(written.match(/\[redacted\]/g)?.length).toBeGreaterThanOrEqual(5);
  for (const hidden of [key, secret, token]) expect(written).not.toContain(hidden);
});

test("an error of a query is logged as its cause, without the parameters", () => {
  const { lines, log } = recorder("json");
  const query = (cause?: Error) =>
    new DrizzleQueryError("select name from partners where name = $1", ["Acme"], cause);
  log.error({ err: query(new Error("PostgreSQL does not answer")) }, "job failed");
  log.error({ err: query() }, "job failed");
  expect(lines.map((line) => JSON.parse(line).err.message)).toEqual([
    "PostgreSQL does not answer",
    "a query failed: select name from partners where name = $1",
  ]);
  expect(lines.join("")).not.toContain("Acme");
});

test("the pretty format is one readable line", () => {
  const { lines, log } = recorder("pretty");
  log.warn({ port: 8080 }, "listening");
  expect(lines[0]).toMatch(/^\[\d{4}-\d\d-\d\d .*Z\] WARN: listening\n {4}port: 8080\n$/);
});
