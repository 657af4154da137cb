import { expect, test } from "bun:test";
import { readConfigToml } from "../../src/config/config-toml.ts";
import { defaultSettings, EXAMPLE_CONFIG } from "../../src/config/default-settings.ts";
import { explainConfig } from "../../src/config/explain-config.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { parseAdminListenSetting } from "../../src/config/setting-formats.ts";
import { SETTINGS, settingKeys } from "../../src/config/settings.ts";

test("the example has every setting once, in the order of the table, and no other", () => {
  const { entries, problems } = readConfigToml(EXAMPLE_CONFIG, "config.example.toml");
  expect(problems).toEqual([]);
  expect(entries.map(({ key }) => key)).toEqual([...settingKeys()]);
});

test("the example is a valid configuration and equals the defaults", () => {
  const example = loadConfig({ file: `${import.meta.dir}/../../config.example.toml`, env: {}, cwd: "/" });
  const { file: _, storage, backup, ...rest } = loadConfig({ env: {}, cwd: "/nowhere" });
  expect(example).toMatchObject(rest);
  expect(example.storage.url).toBe(storage.url);
  expect(example.backup.keep).toBe(backup.keep);
});

test("every section and setting in the example has a comment", () => {
  const sections = explainConfig();
  expect(sections.map(({ name }) => name)).toEqual(Object.keys(SETTINGS));
  const settings = sections.flatMap((section) => section.settings);
  expect(settings.map(({ key }) => key)).toEqual([...settingKeys()]);
  const comments = [...sections, ...settings].map(({ comment }) => comment);
  expect(comments.filter((comment) => !comment.endsWith("."))).toEqual([]);
});

test("the defaults are parsed like any configuration", () => {
  const { entries } = readConfigToml(EXAMPLE_CONFIG, "config.example.toml");
  expect([...defaultSettings()]).toEqual(entries.map(({ key, value }) => [key, value]));
});

// Rule: defaults
test("the defaults are those of the partner API", () => {
  expect(Object.fromEntries(defaultSettings())).toMatchObject({
    "server.base_path": "/api",
    "limits.per_ip_per_minute": 120,
    "limits.per_partner_per_minute": 60,
    "limits.daily_budget": 1000,
    "limits.body_bytes": 5 * 1024 * 1024,
    "limits.bulk_items": 1000,
    "limits.photo_bytes": 10 * 1024 * 1024,
    "limits.photo_bytes_per_partner": 10 * 1024 ** 3,
    "snapshot.at": "03:00",
    "webhooks.timeout_ms": 8000,
    "admin.listen": "127.0.0.1:8081",
    "storage.url": "",
  });
});

test("a setting's description has its default, type, variable and secrecy", () => {
  const explained = new Map(explainConfig().flatMap(({ settings }) => settings.map((it) => [it.key, it])));
  expect(explained.get("server.port")).toMatchObject({
    default: 8080,
    type: "a whole number from 0 to 65535",
    variable: "MAINSTAY_SERVER__PORT",
    secret: false,
  });
  expect(explained.get("rm.password")?.secret).toBe(true);
  expect(defaultSettings().size).toBe(explained.size);
});

test("no setting's variable is the _FILE variable of another", () => {
  const keys: readonly string[] = settingKeys();
  expect(keys.filter((key) => key.endsWith("_file") && keys.includes(key.replace(/_file$/, "")))).toEqual([]);
});

test.each([
  ["main", "main"],
  ["127.0.0.1:8081", { host: "127.0.0.1", port: 8081 }],
  ["[::1]:0", { host: "::1", port: 0 }],
  ["localhost:65536", undefined],
  ["[10.0.0.1]:80", undefined],
  ["8081", undefined],
] as const)("the listen address %j is %j", (text, expected) => {
  expect(parseAdminListenSetting(text)).toEqual(expected as ReturnType<typeof parseAdminListenSetting>);
});
