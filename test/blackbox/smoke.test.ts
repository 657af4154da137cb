import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runMainstay, useMainstay } from "../support/mainstay.ts";

const { folder } = useMainstay();

/** The default of ten seconds may be too short beside other tests. */
const TIMEOUT = ["--timeout", "55"];

const STEPS = [
  "start",
  "partner",
  "token",
  "property",
  "appliance",
  "events",
  "snapshot",
  "alerts",
  "delivery",
  "restart",
  "stop",
];

test("runs all steps and leaves no files", async () => {
  const [cwd, scratch] = [folder(), folder()];
  const { code, stdout, stderr } = await runMainstay(["smoke", ...TIMEOUT], {
    cwd,
    env: { TMPDIR: scratch },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  expect(lines.slice(0, -1).map((line) => /^OK {5}(\w+) +\d+ ms$/.exec(line)?.[1])).toEqual(STEPS);
  expect(lines.at(-1)).toMatch(/^Passed: 11 steps in \d+\.\d s\.$/);
  expect([...readdirSync(cwd), ...readdirSync(scratch)]).toEqual([]);
});

test("prints the result as JSON", async () => {
  // An invalid configuration and an unreachable proxy must have no effect.
  const { code, stdout } = await runMainstay(["smoke", "--json", ...TIMEOUT], {
    cwd: folder(),
    env: {
      MAINSTAY_SERVER__PORT: "nowhere",
      HTTP_PROXY: "http://127.0.0.1:1",
      http_proxy: "http://127.0.0.1:1",
    },
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    ok: true,
    steps: STEPS.map((name) => ({ name, ok: true, duration_ms: expect.any(Number) })),
    duration_ms: expect.any(Number),
  });
});

test("fails if the server cannot listen, with the server's error", async () => {
  // No machine has an address of the documentation network.
  const scratch = folder();
  const { code, stdout, stderr } = await runMainstay(["smoke", "--host", "192.0.2.1", ...TIMEOUT], {
    env: { TMPDIR: scratch },
  });
  expect(code).toBe(1);
  expect(readdirSync(scratch)).toEqual([]);
  expect(stdout).toMatch(/^Failed start +\d+ ms\n {7}expected a running server; it exited with 1\n/);
  expect(stdout).toContain("the address 192.0.2.1:0 cannot be listened on");
  expect(stderr).toBe(
    "mainstay: the smoke test failed at step start: expected a running server; it exited with 1\n",
  );
});

test("fails in the same way with --json", async () => {
  const { code, stdout, stderr } = await runMainstay(["smoke", "--json", "--host", "192.0.2.1", ...TIMEOUT], {
    cwd: folder(),
  });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, steps: [{ name: "start", ok: false }] });
  expect(JSON.parse(stderr).error).toStartWith("the smoke test failed at step start");
});

describe("--junit", () => {
  /** Validates a report and returns its steps. */
  function casesOf(report: string) {
    expect(report).toStartWith(
      '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="mainstay smoke" tests="',
    );
    expect(report).toEndWith("  </testsuite>\n</testsuites>\n");
    const cases = [
      ...report.matchAll(
        /<testcase classname="mainstay\.smoke" name="([^"<&]+)" time="\d+\.\d{3}"(?:\/>|>\s*<failure message="([^"<]*)"\/>\s*<\/testcase>)/g,
      ),
    ].map(([, name, failure]) => ({ name, failure }));
    const failures = cases.filter(({ failure }) => failure !== undefined).length;
    const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="0"`;
    expect(report.split(counts)).toHaveLength(3);
    return cases;
  }

  test("writes a report of every step for build servers", async () => {
    const cwd = folder();
    const { code } = await runMainstay(["smoke", "--junit", "smoke.xml", ...TIMEOUT], { cwd });
    expect(code).toBe(0);
    expect(readdirSync(cwd)).toEqual(["smoke.xml"]);
    expect(casesOf(readFileSync(join(cwd, "smoke.xml"), "utf8"))).toEqual(
      STEPS.map((name) => ({ name, failure: undefined })),
    );
  });

  test("contains the failure", async () => {
    const cwd = folder();
    const args = ["smoke", "--junit", "smoke.xml", "--host", "192.0.2.1", ...TIMEOUT];
    expect((await runMainstay(args, { cwd })).code).toBe(1);
    expect(casesOf(readFileSync(join(cwd, "smoke.xml"), "utf8"))).toEqual([
      { name: "start", failure: "expected a running server; it exited with 1" },
    ]);
  });

  test("fails if the report cannot be written, with its path", async () => {
    const path = join(folder(), "missing/smoke.xml");
    const { code, stderr } = await runMainstay(["smoke", "--junit", path, ...TIMEOUT], { cwd: folder() });
    expect(code).toBe(1);
    expect(stderr).toContain(path);
  });
});

test("reports a full temporary folder", async () => {
  const nowhere = join(folder(), "missing");
  const { code, stderr } = await runMainstay(["smoke"], { cwd: folder(), env: { TMPDIR: nowhere } });
  expect(code).toBe(1);
  expect(stderr).toContain(nowhere);
  expect(existsSync(nowhere)).toBe(false);
});
