import { expect, test } from "bun:test";
import { readStoreConsistently } from "../../../src/store/store-consistent-reads.ts";
import { EventStream } from "../../../src/usecases/event-stream/load-event-stream.ts";
import { type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";
import { revisionNumber } from "../../support/revision-number.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const DAY = 86_400_000;
const open = usePortfolioStore();

/** A portfolio whose components are all elevated, and a write that moves them between tiers and ranks. */
async function worn() {
  const fixture = await open(NOW);
  const { id } = await fixture.addProperty();
  const appliances = await fixture.addAppliances(...Array.from({ length: 4 }, () => ({ propertyId: id })));
  const move = async (round: number) => {
    const components = await fixture.components(id);
    await fixture.write(async (writer) => {
      for (const before of components) {
        const appliance = appliances.find((one) => one.id === before.applianceId)!;
        const score = {
          ...before,
          riskScore: round % 2 === 0 ? 0.6 : 0.9,
          ageYears: 1,
          scaleYears: 20,
          prior: 0.5,
        };
        const cause = round % 2 === 0 ? "snapshot" : "history";
        await writer.saveScore(
          before,
          appliance,
          { ...score, periodRisk: 0.1 } as never,
          "2026-03-10",
          cause,
        );
      }
    });
  };
  await move(0);
  const all = (await fixture.components(id)).map((one) => one.id).sort();
  return { fixture, move, all };
}

/** Reads repeatedly while everything moves, until it has read often beside it. */
async function whileMoving(move: (round: number) => Promise<void>, read: () => Promise<void>) {
  let moving = true;
  const moved = (async () => {
    for (let round = 1; round <= 30; round++) await move(round);
    moving = false;
  })();
  while (moving) {
    await read();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await moved;
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort();

test("the feed shows every elevated component while a snapshot reorders them", async () => {
  const { fixture, move, all } = await worn();
  const stream = new EventStream();
  const { store, partnerId } = fixture;
  await whileMoving(move, async () => {
    const { elevated } = await stream.page(store, partnerId, NOW + 1000, { limit: 200, offset: 0 }, NOW);
    expect(idsOf(elevated.map(({ component }) => component))).toEqual(all);
  });
});

test("a client that waits for its daily limit to end between two pages misses no history", async () => {
  const { fixture } = await worn();
  const { store, partnerId } = fixture;
  const stream = new EventStream();
  const seen = new Set<string>();
  const limit = 7;
  // The history of the first page, one property and four appliances, is followed by two of the components.
  const read = async (since: number, offset: number, now: number) => {
    const page = await stream.page(store, partnerId, since, { limit, offset }, now);
    for (const { subjectId } of page.history) seen.add(subjectId);
    return page;
  };
  let latest = (await read(0, 0, NOW)).history.at(-1)!.createdAt;
  const added: string[] = [];
  for (let i = 0; i < 6; i++) added.push((await fixture.addProperty({ name: `Added ${i}` })).id);
  const later = NOW + DAY;
  for (let offset = limit; ; offset += limit) {
    const page = await read(0, offset, later);
    latest = page.history.at(-1)?.createdAt ?? latest;
    if (offset + limit >= page.total) break;
  }
  await read(latest, 0, later);
  expect(added.filter((id) => !seen.has(id))).toEqual([]);
});

test("rows read at one revision existed at the same time", async () => {
  const { fixture, move, all } = await worn();
  const { store, partnerId } = fixture;
  const elevated = ({ components }: PortfolioFixture["store"]["read"]) =>
    components.elevatedPage(partnerId, { limit: 200, offset: 0 });
  await whileMoving(move, async () => {
    expect(idsOf(await readStoreConsistently(store, partnerId, elevated))).toEqual(all);
  });
});

test("a partner that writes between any two reads is read in one transaction", async () => {
  const { fixture, move, all } = await worn();
  let round = 1;
  const revisions: (number | undefined)[] = [];
  const rows = await readStoreConsistently(fixture.store, fixture.partnerId, async (read, revision) => {
    revisions.push(revision === undefined ? undefined : revisionNumber(revision));
    const { critical, warning } = await read.totals.ofPartner(fixture.partnerId);
    await move(round++);
    const found = await read.components.elevatedPage(fixture.partnerId, { limit: 200, offset: 0 });
    expect(critical + warning).toBe(all.length);
    return { found, critical };
  });
  const first = revisions[0]!;
  expect(revisions).toEqual([first, first + 1, first + 2, undefined]);
  expect(rows.found.filter(({ riskTier }) => riskTier === "CRITICAL")).toHaveLength(rows.critical);
});
