import { describe, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runSmokeTest } from "../../../src/cli/smoke/run-smoke.ts";
import { TIMEOUT_MS } from "../../support/eventually.ts";
import { withLongerTimeouts } from "../../support/longer-timeouts.ts";

/** Runs the smoke test with another program. Returns the reported steps and the server's log. */
async function smokeOf(script: string, deadlineMs = TIMEOUT_MS) {
  const logs: string[][] = [];
  const result = await runSmokeTest(
    { env: process.env, now: Date.now },
    {
      program: [process.execPath, "-e", script],
      host: "127.0.0.1",
      deadlineMs,
      report: (_step, log) => logs.push([...log]),
    },
  );
  return { ...result, log: logs.at(-1) };
}

describe("a broken executable", () => {
  test("fails the first step with its output and exit code", async () => {
    const result = await smokeOf("console.error('corrupt header'); process.exit(7)");
    expect(result).toMatchObject({
      ok: false,
      steps: [{ name: "start", ok: false, detail: "expected a running server; it exited with 7" }],
      log: ["corrupt header"],
    });
  });

  test("that cannot be started is named in the error", async () => {
    const program = [join(tmpdir(), "no-such-mainstay")];
    const result = await runSmokeTest(
      { env: process.env, now: Date.now },
      { program, host: "127.0.0.1", deadlineMs: TIMEOUT_MS },
    );
    expect(result.steps).toHaveLength(1);
    expect(result.steps[0]!.detail).toStartWith(`expected to run ${program[0]}; `);
  });

  test("that hangs fails at the deadline and is killed", async () => {
    const { result, timeoutMs } = await withLongerTimeouts(
      1500,
      (deadlineMs) => smokeOf("console.log(process.pid); setInterval(() => {}, 1000)", deadlineMs),
      ({ log }) => log?.[0] !== undefined,
    );
    const detail = `expected to finish in time; the deadline of ${timeoutMs / 1000} s passed`;
    expect(result.steps).toMatchObject([{ name: "start", ok: false, detail }]);
    const pid = Number(result.log![0]);
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  test("that prints invalid output fails the step", async () => {
    const listens = `const s = Bun.serve({ port: 0, fetch: () => new Response("no") });
      if (process.argv.includes("serve")) console.log(JSON.stringify({ msg: "listening", url: String(s.url) }));
      else { console.log("no JSON"); process.exit(0); }`;
    const result = await smokeOf(listens);
    expect(result.steps.map(({ name, ok }) => ({ name, ok }))).toEqual([
      { name: "start", ok: true },
      { name: "partner", ok: false },
    ]);
    expect(result.steps[1]!.detail).toBe(
      'expected JSON from mainstay partner create; it printed "no JSON\\n"',
    );
  });
});
