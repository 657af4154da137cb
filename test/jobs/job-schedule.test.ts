import { expect, test } from "bun:test";
import { type Cluster, SINGLE_NODE } from "../../src/cluster/cluster.ts";
import { type ScheduledJob, startJobs } from "../../src/jobs/job-schedule.ts";
import { createLogger } from "../../src/logging/logger.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";

const lines: Json[] = [];
const log = createLogger({
  level: "info",
  format: "json",
  destination: { write: (line) => void lines.push(JSON.parse(line)) },
});
/** Every second, to keep the tests short. */
const every = (name: string, run: ScheduledJob["run"], atStart = false): ScheduledJob => ({
  name,
  pattern: "* * * * * *",
  runAtStart: atStart,
  run,
});

// Rule: snapshot-time
test("a job runs on schedule, at the start if configured, and never concurrently", async () => {
  let finish = () => {};
  const runs = { eager: 0, late: 0, slow: 0 };
  const slow = () => {
    runs.slow++;
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  };
  const schedule = startJobs(
    [
      every("eager", async () => void runs.eager++, true),
      every("late", async () => void runs.late++),
      every("slow", () => slow(), true),
    ],
    log,
  );
  expect(runs).toEqual({ eager: 1, late: 0, slow: 1 });
  // The timers of a second fire in any order.
  await eventually(() => {
    expect(runs.late).toBeGreaterThanOrEqual(2);
    expect(runs.eager).toBeGreaterThanOrEqual(3);
  });
  expect(runs.slow).toBe(1);
  finish();
  await schedule.stop();
});

test("a failed job is logged and runs again", async () => {
  let runs = 0;
  const fails = every("fails", async () => {
    runs++;
    throw new Error("no luck");
  });
  const schedule = startJobs([fails], log);
  await eventually(() => expect(runs).toBeGreaterThanOrEqual(2));
  await schedule.stop();
  expect(lines.filter(({ job }) => job === "fails").length).toBeGreaterThanOrEqual(2);
  expect(lines[0]).toMatchObject({ level: "error", msg: "job failed", err: { message: "no luck" } });
});

test("stopping aborts a running job, waits for it, and starts no other", async () => {
  let ended = false;
  const long = every(
    "long",
    async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      ended = true;
    },
    true,
  );
  const schedule = startJobs([long], log);
  await schedule.stop();
  expect(ended).toBe(true);
});

test("in a cluster, one server runs a job for each scheduled time; per-server jobs run on every server", async () => {
  const claimed: [string, number | undefined][] = [];
  const among: Cluster = {
    ...SINGLE_NODE,
    async runExclusively(name, scheduledFor) {
      claimed.push([name, scheduledFor]);
      return false;
    },
  };
  let own = 0;
  const hourly: ScheduledJob = {
    name: "hourly",
    pattern: "0 17 * * * *",
    runAtStart: true,
    run: async () => {},
  };
  const each: ScheduledJob = { ...every("each", async () => void own++, true), runOnEveryServer: true };
  const clock = () => Date.parse("2026-03-10T12:20:00Z");
  const schedule = startJobs([hourly, each], log, clock, among);
  await eventually(() => expect(own).toBeGreaterThanOrEqual(2));
  expect(claimed).toEqual([["hourly", Date.parse("2026-03-10T12:17:00Z")]]);
  expect(schedule.states()[0]).toMatchObject({ name: "hourly", startedAt: null, running: false });
  await schedule.stop();
});

test("runNow returns whether the job has started, or already runs here or on another server", async () => {
  let finish = () => {};
  const run = () =>
    new Promise<void>((resolve) => {
      finish = resolve;
    });
  let prepared = 0;
  const job: ScheduledJob = { name: "slow", run, prepareOnEveryServer: async () => void prepared++ };
  let once: Cluster["runExclusively"] = SINGLE_NODE.runExclusively;
  const among: Cluster = {
    ...SINGLE_NODE,
    isSingleNode: false,
    runExclusively: (...scheduledFor) => once(...scheduledFor),
  };
  const schedule = startJobs([job], log, Date.now, among);
  expect(await schedule.runNow("none")).toBeUndefined();
  expect(await schedule.runNow("slow")).toBe("begun");
  expect(await schedule.runNow("slow")).toBe("running here");
  finish();
  await eventually(() => expect(schedule.states()[0]!.running).toBe(false));
  once = async () => false;
  const before = schedule.states();
  expect(await schedule.runNow("slow")).toBe("running elsewhere");
  expect(schedule.states()).toEqual(before);
  expect(prepared).toBe(2);
  once = () => Promise.reject(new Error("the database is away"));
  await expect(schedule.runNow("slow")).rejects.toThrow("the database is away");
  await schedule.stop();
});
