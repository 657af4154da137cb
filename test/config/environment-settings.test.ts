import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConfigError } from "../../src/config/config-error.ts";
import { loadConfig } from "../../src/config/load-config.ts";

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "mainstay-environment-"));
});
afterAll(() => rmSync(cwd, { recursive: true }));

const load = (env: Record<string, string>) => loadConfig({ env, cwd });

function problems(env: Record<string, string>): readonly string[] {
  try {
    load(env);
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
}

// Rule: setting-variables
test("variables set numbers, switches, texts and lists", () => {
  const config = load({
    MAINSTAY_SERVER__PORT: "9000",
    MAINSTAY_SNAPSHOT__ENABLED: "false",
    MAINSTAY_SERVER__BASE_PATH: "",
    MAINSTAY_WEBHOOKS__DENY_NETWORKS: "10.0.0.0/8, 192.168.1.1",
    MAINSTAY_SERVER__TRUSTED_PROXIES: "",
  });
  expect(config.server).toMatchObject({ port: 9000, basePath: "", trustedProxies: [] });
  expect(config.snapshot.enabled).toBe(false);
  expect(config.webhooks.denyNetworks).toEqual(["10.0.0.0/8", "192.168.1.1"]);
});

// Rule: setting-variables
test("a variable that ends in _FILE specifies a file with the value, without the trailing newline", () => {
  writeFileSync(join(cwd, "token"), "abc\n");
  expect(load({ MAINSTAY_RM__TOKEN_FILE: "token" }).rm.token).toBe("abc");
});

test("a setting whose name ends in _file keeps its meaning", () => {
  expect(load({ MAINSTAY_RM__CA_FILE: "ca.pem" }).rm.caFile).toBe(join(cwd, "ca.pem"));
});

test("a value together with its file is rejected, and so are an empty and a missing file", () => {
  writeFileSync(join(cwd, "empty"), "\n");
  expect(problems({ MAINSTAY_RM__TOKEN: "a", MAINSTAY_RM__TOKEN_FILE: "token" })).toEqual([
    "MAINSTAY_RM__TOKEN_FILE: cannot be used together with MAINSTAY_RM__TOKEN",
  ]);
  expect(problems({ MAINSTAY_RM__TOKEN_FILE: "empty" })).toEqual([
    `MAINSTAY_RM__TOKEN_FILE: the file ${join(cwd, "empty")} is empty`,
  ]);
  expect(problems({ MAINSTAY_RM__TOKEN_FILE: "nowhere" })).toEqual([
    `MAINSTAY_RM__TOKEN_FILE: cannot read ${join(cwd, "nowhere")} (ENOENT)`,
  ]);
});

test("the error of an invalid value names the variable", () => {
  expect(problems({ MAINSTAY_SERVER__PORT: "eighty", MAINSTAY_SNAPSHOT__ENABLED: "yes" })).toEqual([
    'MAINSTAY_SERVER__PORT: expected a whole number from 0 to 65535, got "eighty"',
    'MAINSTAY_SNAPSHOT__ENABLED: expected true or false, got "yes"',
  ]);
});

test("a misspelled variable is rejected with a suggestion", () => {
  expect(problems({ MAINSTAY_SERVER__PROT: "1", MAINSTAY_RM__PASSWRD_FILE: "f" })).toEqual([
    "MAINSTAY_RM__PASSWRD_FILE: unknown setting; did you mean MAINSTAY_RM__PASSWORD_FILE?",
    "MAINSTAY_SERVER__PROT: unknown setting; did you mean MAINSTAY_SERVER__PORT?",
  ]);
  expect(problems({ MAINSTAY_SERVER_PORT: "1" })).toEqual([
    "MAINSTAY_SERVER_PORT: unknown setting; did you mean MAINSTAY_SERVER__PORT?",
  ]);
});

test("variables that are not settings, and those of Kubernetes, are ignored", () => {
  expect(
    problems({
      MAINSTAY_KEY: "k",
      MAINSTAY_SERVICE_HOST: "10.0.0.1",
      MAINSTAY_SERVER_PORT: "tcp://10.0.0.1:80",
    }),
  ).toEqual([]);
});
