import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "../../src/config/config-error.ts";
import { type ConfigRequest, loadConfig } from "../../src/config/load-config.ts";
import { SECRET_SETTINGS, settingKeys } from "../../src/config/settings.ts";
import { OperatorError } from "../../src/domain/errors.ts";

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "mainstay-config-"));
});
afterAll(() => rmSync(cwd, { recursive: true }));

function load(text: string, request: Partial<ConfigRequest> = {}) {
  writeFileSync(join(cwd, "a.toml"), text);
  return loadConfig({ file: "a.toml", env: {}, cwd, ...request });
}

/** Returns the problems found by loading; an empty list if there are none. */
function problems(text: string, request: Partial<ConfigRequest> = {}): readonly string[] {
  try {
    load(text, request);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe("the effective settings", () => {
  // Rule: defaults
  test("are the defaults without a file, with the data folder in the working directory", () => {
    const config = loadConfig({ env: {}, cwd });
    expect(config.file).toBeUndefined();
    expect(config.server).toMatchObject({ host: "127.0.0.1", port: 8080, basePath: "/api", tlsCert: "" });
    expect(config.storage).toMatchObject({ dataDir: join(cwd, "data"), url: "" });
    expect(config.backup.dir).toBe(join(cwd, "data", "backups"));
  });

  test("a file needs only the settings that differ", () => {
    const config = load('[server]\nport = 9000\n[webhooks]\nallow_networks = ["10.0.0.0/8", "fd00::1"]\n');
    expect(config.server.port).toBe(9000);
    expect(config.server.host).toBe("127.0.0.1");
    expect(config.webhooks.allowNetworks).toEqual(["10.0.0.0/8", "fd00::1"]);
    expect(config.file).toBe(join(cwd, "a.toml"));
  });

  test("dotted keys, inline tables, a byte-order mark and Windows line ends are read", () => {
    const config = load('\uFEFFserver.port = 1\r\nlog = { level = "debug" }\r\n');
    expect(config.server.port).toBe(1);
    expect(config.log.level).toBe("debug");
  });

  test("the command line overrides the environment, which overrides the file", () => {
    const text = "[server]\nport = 1\nidle_timeout_s = 1\n[limits]\nbulk_items = 1\n";
    const config = load(text, {
      env: { MAINSTAY_SERVER__PORT: "2", MAINSTAY_SERVER__IDLE_TIMEOUT_S: "2" },
      overrides: [{ key: "server.port", text: "3", flag: "--port" }],
    });
    expect([config.server.port, config.server.idleTimeoutS, config.limits.bulkItems]).toEqual([3, 2, 1]);
  });

  test("relative paths are resolved against the file's folder, and those of the command line against the working directory", () => {
    mkdirSync(join(cwd, "etc"), { recursive: true });
    writeFileSync(join(cwd, "etc", "b.toml"), '[rm]\nca_file = "ca.pem"\n[storage]\ndata_dir = "/srv/d"\n');
    const request = { file: "etc/b.toml", env: {}, cwd };
    expect(loadConfig(request).rm.caFile).toBe(join(cwd, "etc", "ca.pem"));
    expect(loadConfig(request).storage.dataDir).toBe("/srv/d");
    const overrides = [{ key: "storage.data_dir", text: "d", flag: "--data-dir" } as const];
    expect(loadConfig({ ...request, overrides }).storage.dataDir).toBe(join(cwd, "d"));
  });

  test("they are immutable", () => {
    const config = loadConfig({ env: {}, cwd });
    expect([config, config.server, config.webhooks.allowNetworks].every(Object.isFrozen)).toBe(true);
  });

  test("the file is the specified one, else MAINSTAY_CONFIG, else mainstay.toml in the working directory", () => {
    const folder = mkdtempSync(join(cwd, "choose-"));
    for (const [name, port] of [
      ["mainstay.toml", 1],
      ["env.toml", 2],
      ["asked.toml", 3],
    ] as const) {
      writeFileSync(join(folder, name), `[server]\nport = ${port}\n`);
    }
    const env = { MAINSTAY_CONFIG: "env.toml" };
    expect(loadConfig({ env: {}, cwd: folder }).server.port).toBe(1);
    expect(loadConfig({ env, cwd: folder }).server.port).toBe(2);
    expect(loadConfig({ file: "asked.toml", env, cwd: folder }).server.port).toBe(3);
  });
});

describe("rejects", () => {
  // Rule: bad-settings
  test("a misspelled key, with the line and a suggestion", () => {
    expect(problems("# a\n[server]\n\nprot = 1\n")).toEqual([
      'a.toml:4: server.prot: unknown key; did you mean "server.port"?',
    ]);
  });

  test("a known key in the wrong section", () => {
    expect(problems("port = 1\n[server]\ndata_dir = '/x'\n")).toEqual([
      'a.toml:1: port: unknown key; did you mean "server.port"?',
      'a.toml:3: server.data_dir: unknown key; did you mean "storage.data_dir"?',
    ]);
  });

  test("an unknown key without a close match, without a suggestion", () => {
    expect(problems("[server]\nflux_capacitor = 1\n")).toEqual([
      "a.toml:2: server.flux_capacitor: unknown key",
    ]);
  });

  test("a misspelled section, once for all its keys", () => {
    expect(problems("[webhook]\ntimeout_ms = 1\nca_file = ''\n")).toEqual([
      "a.toml:1: webhook: unknown section; did you mean [webhooks]?",
    ]);
  });

  test("a value instead of a section", () => {
    expect(problems("server = 8080\nlog = []\n")).toEqual([
      "a.toml:1: server: expected a section [server]",
      "a.toml:2: log: expected a section [log]",
    ]);
  });

  test("a base path that clients would normalize", () => {
    for (const path of ["/..", "/a/../b", "/a/./b", "/."])
      expect(problems(`server.base_path = "${path}"`)).toHaveLength(1);
    for (const path of ["/...", "/.well-known/a.b", "/a..b"])
      expect(load(`server.base_path = "${path}"`).server.basePath).toBe(path);
  });

  test("a list of sections, and a section inside a section", () => {
    expect(problems("[[server]]\nport = 1\n\n[log.file]\n")).toEqual([
      "a.toml:1: server: expected one section [server], got a list",
      "a.toml:4: log.file: unknown section; [log] has no subsections",
    ]);
  });

  test.each([
    ["[server]\nport = 'abc'", "a.toml:2: server.port: expected a whole number from 0 to 65535, got 'abc'"],
    ["[server]\nport = 65536", "a.toml:2: server.port: expected a whole number from 0 to 65535, got 65536"],
    ["[server]\nport = 1.5", "a.toml:2: server.port: expected a whole number from 0 to 65535, got 1.5"],
    ["[server]\nport = inf", "a.toml:2: server.port: expected a whole number from 0 to 65535, got inf"],
    [
      "[limits]\nresponse_timeout_s = 0\n",
      "a.toml:2: limits.response_timeout_s: expected a whole number from 1 to 3600, got 0",
    ],
    [
      "[limits]\nphoto_bytes_per_partner = -1\n",
      "a.toml:2: limits.photo_bytes_per_partner: expected a whole number from 0 to 1000000000000000, got -1",
    ],
    [
      "[server]\ncache_mb = 65537\n",
      "a.toml:2: server.cache_mb: expected a whole number from 0 to 65536, got 65537",
    ],
    [
      "[costs]\nbuilding_per_sqft = 0\n",
      "a.toml:2: costs.building_per_sqft: expected a number from 1 to 10000, got 0",
    ],
    ...["EURO", "eur", "US$", ""].map((code) => [
      `[display]\ncurrency = "${code}"\n`,
      `a.toml:2: display.currency: expected a currency by its ISO 4217 code, such as USD, CAD or EUR, got "${code}"`,
    ]),
    [
      "[display]\ncurrency = 978\n",
      "a.toml:2: display.currency: expected a currency by its ISO 4217 code, such as USD, CAD or EUR, got 978",
    ],
    [
      '[display]\nunits = "meters"\n',
      'a.toml:2: display.units: expected "imperial" or "metric", got "meters"',
    ],
    [
      "[storage]\nmin_free_bytes = '1 GB'\n",
      "a.toml:2: storage.min_free_bytes: expected a whole number from 0 to 1000000000000, got '1 GB'",
    ],
    [
      "[storage]\nmax_database_bytes = 1e20\n",
      "a.toml:2: storage.max_database_bytes: expected a whole number from 0 to 1000000000000000, got 1e20",
    ],
    ["[server]\nhost = 'a b'", "a.toml:2: server.host: expected an IP address or a host name, got 'a b'"],
    ["[snapshot]\nat = 03:00", 'a.toml:2: snapshot.at: expected a time in UTC such as "03:00", got 03:00'],
    ["[snapshot]\nenabled = 1", "a.toml:2: snapshot.enabled: expected true or false, got 1"],
    ["[log]\nformat = 'xml'", `a.toml:2: log.format: expected "json" or "pretty", got 'xml'`],
    ["[log]\ndeliveries = true", 'a.toml:2: log.deliveries: expected "all", "failed" or "none", got true'],
    [
      "[log]\ndeliveries = 'some'",
      `a.toml:2: log.deliveries: expected "all", "failed" or "none", got 'some'`,
    ],
    [
      "[server]\ndrain_s = '5'",
      `a.toml:2: server.drain_s: expected "auto" or a whole number from 0 to 600, got '5'`,
    ],
    [
      "[server]\ndrain_s = -1",
      'a.toml:2: server.drain_s: expected "auto" or a whole number from 0 to 600, got -1',
    ],
    ["[admin]\nlisten = ':80'", `a.toml:2: admin.listen: expected "main" or "ADDRESS:PORT", got ':80'`],
    [
      '[admin]\nallowed_hosts = ["ops.example.com:8081"]',
      'a.toml:2: admin.allowed_hosts: expected an IP address or a host name, got "ops.example.com:8081"',
    ],
    [
      "[admin]\nallowed_hosts = ['*']",
      "a.toml:2: admin.allowed_hosts: expected an IP address or a host name, got '*'",
    ],
    [
      "[admin]\nallowed_hosts = 'ops.example.com'",
      "a.toml:2: admin.allowed_hosts: expected a list of host names and IP addresses, got 'ops.example.com'",
    ],
    [
      '[storage]\nurl = "mysql://mainstay:hunter2@db/mainstay"',
      'a.toml:2: storage.url: expected "postgres://USER:PASSWORD@HOST:5432/DATABASE", or ""',
    ],
    [
      "[backup]\nschedule = '61 * * * *'",
      `a.toml:2: backup.schedule: expected five cron fields such as "30 4 * * *", on days that exist, or "", got '61 * * * *'`,
    ],
    ...["0 4 30 2 *", "0 4 31 4,6 *", "0 4 30-31 FEB *", "0 4 31 2-6/2 *", "0 4 31/2 9 *"].map((never) => [
      `[backup]\nschedule = '${never}'`,
      `a.toml:2: backup.schedule: expected five cron fields such as "30 4 * * *", on days that exist, or "", got '${never}'`,
    ]),
    ...["https://u:p@h.example/api", "https://h.example/api?x=1", "https://h.example/api#x"].map((url) => [
      `[server]\npublic_url = '${url}'`,
      `a.toml:2: server.public_url: expected an http:// or https:// URL without user, query and fragment, or "", got '${url}'`,
    ]),
    [
      '[embed]\nframe_ancestors = ["https://a.example; script-src *"]',
      "a.toml:2: embed.frame_ancestors: expected a source such as https://portal.example.com, 'self', 'none' or *, " +
        'got "https://a.example; script-src *"',
    ],
  ])("%j", (text, problem) => {
    expect(problems(text)).toEqual([problem]);
  });

  test.each(settingKeys())("%s of a wrong type, with what it accepts", (key) => {
    const [section, name] = key.split(".");
    const found = problems(`[${section}]\n${name} = [[1]]\n`);
    expect(found).toEqual([expect.stringMatching(/^a\.toml:2: \S+: expected ./)]);
    expect(found[0]).toContain(`: ${key}: `);
    expect(found[0]!.includes("[[1]]") || found[0]!.includes("[1]")).toBe(!SECRET_SETTINGS.has(key));
  });

  test.each(["10.0.0.0/33", "10.0.0.1/8", "fe80::1%eth0"])(
    "the item %s of a list of networks, at the item's own line",
    (network) => {
      expect(problems(`[server]\ntrusted_proxies = [\n  "10.0.0.0/8",\n  "${network}",\n]\n`)).toEqual([
        "a.toml:4: server.trusted_proxies: expected a network such as 10.0.0.0/8, " +
          `with no address bits beyond its prefix, got "${network}"`,
      ]);
    },
  );

  test("broken TOML, at its line and column", () => {
    expect(problems("[server]\nport = \n")).toEqual(["a.toml:2:8: Unspecified values are invalid"]);
    expect(problems("[server]\nport = 1\nport = 2\n")).toEqual([
      "a.toml:3:1: Defining a key multiple times is invalid",
    ]);
  });

  test("all problems at once", () => {
    const found = problems("[server]\nprot = 1\nhost = 5\n", { env: { MAINSTAY_LOG__LEVEL: "loud" } });
    expect(found.map((line) => line.split(": expected")[0])).toEqual([
      'a.toml:2: server.prot: unknown key; did you mean "server.port"?',
      "a.toml:3: server.host",
      "MAINSTAY_LOG__LEVEL",
    ]);
  });

  test("conflicting values", () => {
    const text =
      "[server]\ntls_cert = 'c.pem'\n[admin]\nlisten = '127.0.0.1:8080'\n[rm]\npassword = 'hunter2'\n";
    expect(problems(text)).toEqual([
      "a.toml:2: server.tls_cert: requires server.tls_key",
      "a.toml:6: rm.password: requires rm.username",
      'a.toml:4: admin.listen: the same address as server.host and server.port; "main" shares the listener',
    ]);
  });

  test.each(["0 4 29 2 *", "0 4 31 * *", "0 4 30 2 SUN", "5/20 */2 1-15/3 JAN-MAR,JUL *", "0 4 31 2-6/3 *"])(
    "no schedule on days that exist: %s",
    (schedule) => {
      expect(load(`[backup]\nschedule = '${schedule}'`).backup.schedule).toBe(schedule);
    },
  );

  test("a backup schedule with PostgreSQL, with the alternative", () => {
    const text = "[backup]\nschedule = '30 4 * * *'\n[storage]\nurl = 'postgres://u:hunter2@h/d'\n";
    expect(problems(text)).toEqual([
      "a.toml:2: backup.schedule: cannot be used with storage.url; schedule PostgreSQL's own tools instead (pg_dump, or " +
        "pg_basebackup with WAL archiving)",
    ]);
  });

  test("a secret value without printing it", () => {
    const text =
      '[rm]\npassword = ["hunter2"]\nurl = "ftp://u:hunter2@h"\n[storage]\nurl = "mysql://u:hunter2@h/d"\n';
    const found = problems(text, { env: { MAINSTAY_BACKUP__PASSPHRASE: "hunter2\n" } });
    expect(found).toHaveLength(4);
    expect(found.join()).not.toContain("hunter2");
  });

  test("a file that is missing, a folder, too large, or not text", () => {
    const messageOf = (file: string) => {
      try {
        loadConfig({ file, env: {}, cwd });
      } catch (error) {
        expect(error).toBeInstanceOf(OperatorError);
        return (error as Error).message;
      }
    };
    writeFileSync(join(cwd, "latin1.toml"), new Uint8Array([0x23, 0xe9, 0x0a]));
    expect(messageOf("missing.toml")).toBe(`Configuration file not found: ${join(cwd, "missing.toml")}`);
    expect(messageOf(".")).toContain("(EISDIR)");
    expect(messageOf("latin1.toml")).toContain("is not UTF-8 text");
    writeFileSync(join(cwd, "large.toml"), `[webhooks]\nallow_networks = [${"1,".repeat(600_000)}]\n`);
    expect(messageOf("large.toml")).toEndWith("large.toml is larger than 1 MiB");
  });
});
