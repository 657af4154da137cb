import { beforeEach, describe, expect, test } from "bun:test";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Knowledge } from "../../src/domain/domain-knowledge.ts";
import { StorageError } from "../../src/domain/errors.ts";
import { dayOf } from "../../src/domain/time.ts";
import type { ScheduledJob } from "../../src/jobs/job-schedule.ts";
import { recurringJobList, startRecalculationAtStart } from "../../src/jobs/recurring-job-list.ts";
import { embeddedKnowledge } from "../../src/knowledge/embedded-knowledge.ts";
import { createLogger } from "../../src/logging/logger.ts";
import { EmbedViewCounter } from "../../src/usecases/embeds/count-embed-views.ts";
import { recountDerivedData } from "../../src/usecases/recalculation/recount-derived-data.ts";
import { RevisionCaches } from "../../src/usecases/revision-caches/revision-caches.ts";
import { takeSnapshot } from "../../src/usecases/snapshot/take-snapshot.ts";
import type { Json } from "../support/json.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../support/portfolio-store.ts";

const EVENING = Date.parse("2026-03-09T22:00:00Z");
const HOUR = 3_600_000;
const yieldNow = async () => {};
const open = usePortfolioStore();
let fixture: PortfolioFixture;
let lines: Json[];
let caches: RevisionCaches;
beforeEach(async () => {
  caches = new RevisionCaches(1e6);
  fixture = await open(EVENING, "http://hooks.test/");
  lines = [];
});

const log = createLogger({
  level: "info",
  format: "json",
  destination: { write: (line) => void lines.push(JSON.parse(line)) },
});

/** Returns the jobs of a server with default settings, except for the given ones. */
function jobs(
  env: Record<string, string> = {},
  own = knowledge,
  store = fixture.store,
  changedSumsBasis: boolean | "unknown" = false,
): Map<string, ScheduledJob> {
  const config = loadConfig({ env, cwd: "/nowhere" });
  const table = recurringJobList({
    config,
    log,
    knowledge: own,
    store,
    views: new EmbedViewCounter(fixture.store),
    caches,
    clock: fixture.clock,
    monotonicMs: () => performance.now(),
    changedSumsBasis,
  });
  return new Map(table.map((job) => [job.name, job]));
}
/** Returns the job that recalculates sums, of a server that has started with this knowledge. */
async function startedRecalculation(own = knowledge, store = fixture.store): Promise<ScheduledJob> {
  const isChanged = await startRecalculationAtStart({ store, knowledge: own, log });
  return jobs({}, own, store, isChanged).get("recalculate-sums")!;
}
const dearer = embeddedKnowledge({ location: "state", priceLevel: 2, buildingPerSqft: 200 });
async function wrongSums(own: Knowledge): Promise<number> {
  const { store, clock } = fixture;
  const wrong = await recountDerivedData({ store, clock, knowledge: own, yieldNow }, false);
  return Object.values(wrong).reduce((sum, count) => sum + count, 0);
}
async function run(job: ScheduledJob | undefined): Promise<void> {
  await job!.prepareOnEveryServer?.();
  await job!.run(new AbortController().signal);
}
const snapshots = () => lines.filter(({ msg }) => msg === "snapshot taken").map(({ date }) => date);

// Rule: prices-recalculated
test("sums follow the prices of the server again after a snapshot by a command with others, and these after a start with them", async () => {
  const { id: propertyId } = await fixture.addProperty();
  await fixture.addAppliances({ propertyId, typeId: "roof", installYear: 1980 });
  const { store, clock, time } = fixture;
  const snapshot = { store, clock, knowledge: dearer, monotonicMs: () => 0, yieldNow };
  const recalculation = await startedRecalculation();
  await run(recalculation);
  await takeSnapshot(snapshot, dayOf(time.now));
  expect(await wrongSums(knowledge)).toBeGreaterThan(0);
  await run(recalculation);
  // In a cluster, a server with other prices may be starting.
  time.now += 20 * 60_000;
  await run(recalculation);
  expect(await wrongSums(knowledge)).toBe(0);
  await run(await startedRecalculation(dearer));
  expect(await wrongSums(dearer)).toBe(0);
});

// Rule: prices-recalculated
test.each(["the same", "another"])(
  "sums that an older server stores beside a newer one, as in a rolling upgrade, follow the newer one's prices if %s server recalculates",
  async (which) => {
    const { id: propertyId } = await fixture.addProperty();
    await fixture.addAppliances({ propertyId, typeId: "roof", installYear: 1980 });
    const { time } = fixture;
    const store = { ...fixture.store, isShared: true };
    await run(await startedRecalculation());
    const first = await startedRecalculation(dearer, store);
    const second = await startedRecalculation(dearer, store);
    const runAll = async () => {
      if (which === "the same") await run(first);
      else await first.prepareOnEveryServer!();
      await run(second);
    };
    await runAll();
    await fixture.addAppliances({ propertyId, typeId: "electrical_panel", installYear: 1980 });
    await runAll();
    expect(await wrongSums(dearer)).toBeGreaterThan(0);
    time.now += 20 * 60_000;
    await runAll();
    expect(await wrongSums(dearer)).toBe(0);
  },
);

// Rule: prices-recalculated
test("sums follow the prices of a server that started while the database took no writes", async () => {
  await fixture.addAppliances({
    propertyId: (await fixture.addProperty()).id,
    typeId: "roof",
    installYear: 1980,
  });
  await run(await startedRecalculation());
  const store = { ...fixture.store, isShared: true };
  const locked = { ...store, write: async () => Promise.reject(new StorageError("locked")) };
  const atStart = await startRecalculationAtStart({ store: locked, knowledge: dearer, log });
  expect(atStart).toBe("unknown");
  await run(jobs({}, dearer, store, atStart).get("recalculate-sums"));
  expect(await wrongSums(dearer)).toBe(0);
});

describe("the snapshot", () => {
  // Rule: snapshot-time, missed-snapshot
  test("is due from 03:00 UTC on, once a day, checked every minute and at the start", async () => {
    const snapshot = jobs().get("snapshot")!;
    expect(snapshot).toMatchObject({ pattern: "0 * * * * *", runAtStart: true });
    const taken: string[][] = [];
    for (const time of ["02:59:59.999", "03:00:00.000", "03:01:00.000", "23:59:00.000"]) {
      fixture.time.now = Date.parse(`2026-03-10T${time}Z`);
      await run(snapshot);
      taken.push(snapshots());
    }
    // At 02:59 on the 10th, the snapshot of the 9th is no longer due: a missed day stays missing.
    expect(taken).toEqual([[], ["2026-03-10"], ["2026-03-10"], ["2026-03-10"]]);
    fixture.time.now = Date.parse("2026-03-12T12:00:00Z");
    await run(snapshot);
    expect(snapshots()).toEqual(["2026-03-10", "2026-03-12"]);
  });

  test("sends alerts for components that became critical since the previous one", async () => {
    const { id: propertyId } = await fixture.addProperty({ recordsSince: "1950-01-01" });
    await fixture.addAppliances({ propertyId, installYear: 1980 });
    const pending = () => fixture.store.read.deliveryLog.count({ event: "component.critical" });
    expect(await pending()).toBe(0);
    fixture.time.now = EVENING + 5 * HOUR;
    const snapshot = jobs().get("snapshot");
    await run(snapshot);
    await run(snapshot);
    expect(await pending()).toBe(6);
  });

  test("is taken at the configured time, and not at all if disabled", async () => {
    const later = jobs({ MAINSTAY_SNAPSHOT__AT: "22:01" }).get("snapshot");
    await run(later);
    expect(snapshots()).toEqual([]);
    fixture.time.now += 60_000;
    await run(later);
    expect(snapshots()).toEqual(["2026-03-09"]);
    expect(jobs({ MAINSTAY_SNAPSHOT__ENABLED: "false" }).has("snapshot")).toBe(false);
  });
});

// Rule: key-kept
test("idempotent replies are pruned after 24 hours, every hour", async () => {
  const partner = fixture.partner;
  const save = (key: string) =>
    fixture.store.write((tx) =>
      tx.idempotency.save({
        partnerId: partner.id,
        operation: "POST /v1/properties",
        key,
        requestHash: "h",
        statusCode: 201,
        body: "{}",
        createdAt: tx.now,
      }),
    );
  await save("old");
  fixture.time.now += HOUR;
  await save("new");
  const kept = async () => {
    const found = ["old", "new"].map((key) =>
      fixture.store.read.idempotency.find(partner.id, "POST /v1/properties", key),
    );
    return (await Promise.all(found)).map((reply) => reply?.key);
  };
  const prune = jobs().get("prune-idempotency-keys")!;
  expect(prune.pattern).toMatch(/^\d+ \d+ \* \* \* \*$/);
  fixture.time.now = EVENING + 24 * HOUR;
  await run(prune);
  expect(await kept()).toEqual(["old", "new"]);
  fixture.time.now += 1;
  await run(prune);
  expect(await kept()).toEqual([undefined, "new"]);
});

// Rule: cache-current
test("what is kept of a partner's data goes within a minute of their change", async () => {
  const drop = jobs().get("drop-superseded-answers")!;
  expect(drop).toMatchObject({ pattern: "20 * * * * *", runOnEveryServer: true });
  const { store, partnerId } = fixture;
  const kept = caches.open<{ text: string }>("responses", { bytesOf: ({ text }) => text.length });
  const revision = (await store.read.partners.revision(partnerId))!;
  kept.set("own", { partners: [{ id: partnerId, revision }] }, { text: "own" });
  kept.set("unknown", { partners: [{ id: "PARTNER_0", revision }] }, { text: "unknown" });
  await run(drop);
  expect(kept.size).toBe(1);
  await store.write((tx) => tx.partners.bumpRevision(partnerId));
  await run(drop);
  expect(kept.size).toBe(0);
});
