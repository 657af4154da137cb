import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultSettings } from "../../src/config/default-settings.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { serverDrainSeconds } from "../../src/server/server-drain.ts";

const FILE = join(import.meta.dir, "../../packaging/mainstay.service");
const text = readFileSync(FILE, "utf8");

/** Returns the unit's directives by section; a directive that is given several times has all its words. */
function parse(): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let section: Map<string, string> | undefined;
  for (const line of text.split("\n").filter((one) => one !== "" && !one.startsWith("#"))) {
    const name = /^\[(\w+)\]$/.exec(line)?.[1];
    const [, key, value] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
    if (name) {
      section = new Map();
      sections.set(name, section);
    } else if (key && section) section.set(key, [section.get(key), value!.trim()].filter(Boolean).join(" "));
    else throw new Error(`neither a section nor a directive: ${line}`);
  }
  return sections;
}
const unit = parse();
const service = unit.get("Service")!;

test("the service does not run as root, can't change its user, and writes only to its own folder", () => {
  expect(Object.fromEntries(service)).toMatchObject({
    User: "mainstay",
    NoNewPrivileges: "yes",
    CapabilityBoundingSet: "",
    AmbientCapabilities: "",
    ProtectSystem: "strict",
    ProtectHome: "yes",
    PrivateTmp: "yes",
    PrivateDevices: "yes",
    ProtectKernelTunables: "yes",
    ProtectKernelModules: "yes",
    ProtectKernelLogs: "yes",
    RestrictAddressFamilies: "AF_INET AF_INET6 AF_UNIX",
    RestrictNamespaces: "yes",
    LockPersonality: "yes",
    SystemCallFilter: "@system-service",
    UMask: "0077",
    StateDirectory: "mainstay",
    StateDirectoryMode: "0700",
  });
  expect(service.get("WorkingDirectory")).toBe("/var/lib/mainstay");
});

test("no directive prevents just-in-time compilation", () => {
  expect(service.has("MemoryDenyWriteExecute")).toBe(false);
  expect(service.has("LimitAS")).toBe(false);
});

test("variables of the runtime and proxies are unset, in lower and upper case, and no setting is", () => {
  const unset = service.get("UnsetEnvironment")!.split(" ");
  for (const proxy of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"])
    expect(unset).toEqual(expect.arrayContaining([proxy, proxy.toLowerCase()]));
  expect(unset).toEqual(expect.arrayContaining(["BUN_BE_BUN", "BUN_OPTIONS", "BUN_INSPECT"]));
  expect(unset.filter((name) => name.startsWith("MAINSTAY_"))).toEqual([]);
});

test("a stop has time to drain, for requests, then deliveries, and the database, before the process is killed", () => {
  const graceS = defaultSettings().get("server.shutdown_grace_s") as number;
  const drainS = serverDrainSeconds(loadConfig({ env: {}, cwd: "/nowhere" }), { alive: () => 2 });
  expect(Number(service.get("TimeoutStopSec"))).toBeGreaterThanOrEqual(drainS + 2 * graceS + 5);
  expect(service.get("KillMode")).toBe("mixed");
});

// Rule: service-manager
test("systemd hears from the server itself that it listens, and restarts one that hangs, but no migration", () => {
  expect(Object.fromEntries(service)).toMatchObject({
    Type: "notify",
    NotifyAccess: "main",
    WatchdogSec: "60",
    WatchdogSignal: "SIGKILL",
    TimeoutStartSec: "infinity",
  });
});

test("a reload makes the server read the certificate again, and a failure restarts it", () => {
  expect(service.get("ExecReload")).toBe("/bin/sh -c 'kill -HUP $MAINPID'");
  expect(service.get("Restart")).toBe("on-failure");
  expect(unit.get("Install")!.get("WantedBy")).toBe("multi-user.target");
});

/** Runs only where systemd is installed; the tests above need nothing. */
describe.if(Bun.which("systemd-analyze") !== null)("systemd itself", () => {
  test("knows every directive and value", () => {
    const root = mkdtempSync(join(tmpdir(), "mainstay-unit-"));
    const file = join(root, "mainstay.service");
    mkdirSync(join(root, "bin"));
    writeFileSync(join(root, "bin/mainstay"), "#!/bin/sh\n", { mode: 0o755 });
    const verify = (unitText: string) => {
      writeFileSync(file, unitText.replace("/usr/local/bin/mainstay", join(root, "bin/mainstay")));
      const { exitCode, stderr } = Bun.spawnSync(["systemd-analyze", "verify", "--man=no", file]);
      return {
        exitCode,
        complaints: stderr
          .toString()
          .split("\n")
          .filter((line) => line.includes(file)),
      };
    };
    expect(verify(text)).toEqual({ exitCode: 0, complaints: [] });
    expect(verify(text.replace("ProtectHome=yes", "ProtectHomes=perhaps")).complaints).not.toEqual([]);
    rmSync(root, { recursive: true });
  });

  test("finds the service well protected", () => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([
      ...["systemd-analyze", "security", "--offline=true", "--threshold=20"],
      FILE,
    ]);
    expect(stderr.toString()).not.toContain("Unknown");
    expect(stdout.toString()).toContain("Overall exposure level for mainstay.service: ");
    expect(exitCode).toBe(0);
  });
});
