import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { type Secret, SecretSearch } from "./secret-search.ts";

const hex = () => randomBytes(24).toString("hex");
const SECRETS: Secret[] = [
  ...Array.from({ length: 200 }, () => ({ kind: "API key", value: `svc_live_${hex()}` })),
  ...Array.from({ length: 200 }, () => ({
    kind: "webhook secret",
    value: `whsec_${randomBytes(32).toString("base64")}`,
  })),
  { kind: "passphrase", value: 'correct "horse" & battery' },
];
const search = new SecretSearch(SECRETS);
/** Lines of a log, with keys that look like secrets but are not. */
const noise = (lines: number) =>
  Array.from({ length: lines }, (_, at) => `{"level":"info","request_id":"${hex()}","n":${at}}`).join("\n");
const around = (text: string) => `${noise(20)} ${text}"}\n${noise(20)}`;

const WRITTEN: [form: string, write: (value: string) => string][] = [
  ["in clear", (value) => value],
  ["URL-encoded", encodeURIComponent],
  ["in base64", (value) => Buffer.from(value).toString("base64")],
  ["in base64", (value) => Buffer.from(`:${value}`).toString("base64")],
  ["in base64", (value) => Buffer.from(`user 1:${value}, and more`).toString("base64")],
  ["in base64", (value) => Buffer.from(`id${value}`).toString("base64")],
];

describe("a planted leak is found", () => {
  // Rule: no-secrets
  test.each(WRITTEN)("%s", (form, write) => {
    for (const { kind, value } of [SECRETS[0]!, SECRETS[199]!, SECRETS[399]!, SECRETS.at(-1)!]) {
      const isSame = write(value) === value;
      expect(search.find(around(write(value)))).toContainEqual({ kind, form: isSame ? "in clear" : form });
    }
  });

  // Rule: no-secrets
  test("as JSON, and in base64url", () => {
    const { kind, value } = SECRETS.at(-1)!;
    expect(search.find(around(JSON.stringify({ value })))).toEqual([{ kind, form: "as JSON" }]);
    const odd = { kind: "token", value: "svct_???>>>???~~~" };
    const encoded = Buffer.from(odd.value).toString("base64url");
    expect(new SecretSearch([odd]).find(around(encoded))).toEqual([{ kind: "token", form: "in base64url" }]);
  });

  test("without the prefix that identifies its kind", () => {
    for (const at of [3, 303]) {
      const { kind, value } = SECRETS[at]!;
      const part = value.slice(value.lastIndexOf("_") + 1);
      expect(search.find(around(part))).toEqual([{ kind, form: "without its prefix" }]);
    }
  });

  test("in the bytes of a binary file", () => {
    const bytes = Buffer.concat([randomBytes(5000), Buffer.from(SECRETS[7]!.value), randomBytes(5000)]);
    expect(search.find(bytes.toString("latin1"))).toContainEqual({ kind: "API key", form: "in clear" });
  });
});

test("no leak is reported for other keys, a redacted one, a truncated one, a hash", () => {
  const { value } = SECRETS[0]!;
  const hash = new Bun.CryptoHasher("sha256").update(value).digest("hex");
  const texts = [`svc_live_${hex()}`, "svc_live_[redacted]", value.slice(0, -1), hash, noise(100)];
  expect(search.find(around(texts.join(" ")))).toEqual([]);
});

test("twenty megabytes of log are searched in seconds of processor time", () => {
  const text = noise(20_000);
  const before = process.cpuUsage();
  for (let megabytes = 0; megabytes < 20; megabytes += text.length / 1e6) search.find(text);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(5000);
});
