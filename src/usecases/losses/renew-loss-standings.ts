import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { asLossComponent, expectedLossesOf } from "../../domain/losses/component-losses.ts";
import {
  rankPropertiesInSteps,
  standingInRanking,
  type UnitLosses,
} from "../../domain/losses/loss-ranking.ts";
import type { InsuredLayer } from "../../domain/losses/loss-severity.ts";
import { runYielding, type Yield } from "../../event-loop/event-loop.ts";
import type { PropertyStanding } from "../../store/queries/property-standings-queries.ts";
import type { SnapshotRun } from "../../store/queries/snapshots-queries.ts";
import { selectStoredLossRows } from "../../store/select-stored-rows.ts";
import type { Store } from "../../store/store.ts";
import { loadBookOfBusinessPartners } from "../book-of-business/load-book-of-business-partners.ts";
import { loadCurrentPartnerPrices } from "../costs/load-partner-prices.ts";

type StandingDeps = {
  store: Store;
  knowledge: Knowledge;
  yieldNow: Yield;
  signal?: AbortSignal;
};

const NO_LAYER: InsuredLayer = { deductible: 0, limit: null };

/** Properties in one transaction. */
const BATCH = 500;

type ComparedProperty = UnitLosses & { propertyId: string; isDemo: boolean };

/**
 * Compares the properties of all partners with each other by the scores of the latest snapshot, unless that has been done:
 * a page of a property reads how it stands, and never waits for the book. Demo properties are compared with the others,
 * which are not compared with them. Returns the number of properties.
 */
export async function renewLossStandings(deps: StandingDeps): Promise<number> {
  const { store, yieldNow, signal } = deps;
  const run = await store.read.snapshots.latestFinished();
  if (!run || run.comparedAt !== null) return 0;
  const { day } = run;
  const portfolios: { partnerId: string; properties: ComparedProperty[] }[] = [];
  for (const { id: partnerId } of await loadBookOfBusinessPartners(store.read, undefined)) {
    signal?.throwIfAborted();
    portfolios.push({ partnerId, properties: await unitLossesOf(deps, partnerId) });
    // The read of a small portfolio does not yield, and there may be thousands.
    await yieldNow();
  }
  const rank = (properties: readonly ComparedProperty[]) =>
    runYielding(rankPropertiesInSteps(properties.filter(({ isDemo }) => !isDemo)), yieldNow);
  const book = await rank(portfolios.flatMap(({ properties }) => properties));
  let count = 0;
  for (const { partnerId, properties } of portfolios) {
    const portfolio = await rank(properties);
    for (let from = 0; from < properties.length; from += BATCH) {
      const standings = properties.slice(from, from + BATCH).map(
        (own): PropertyStanding => ({
          propertyId: own.propertyId,
          day,
          portfolio: standingInRanking(portfolio, own, !own.isDemo),
          book: standingInRanking(book, own, !own.isDemo),
        }),
      );
      signal?.throwIfAborted();
      await inBackground(store, (tx) => tx.standings.replace(partnerId, standings), partnerId);
      await yieldNow();
    }
    await inBackground(store, (tx) => tx.standings.keepOnly(partnerId, day), partnerId);
    count += properties.length;
  }
  // The first properties of an installation are compared on their first day.
  if (count > 0) await inBackground(store, (tx) => finish(tx, run));
  return count;
}

type Tx = Parameters<Parameters<Store["write"]>[0]>[0];

/** A comparison that a power cut loses is made again. */
const inBackground = (store: Store, run: (tx: Tx) => Promise<void>, partnerId?: string) =>
  store.write(run, {
    durability: "process",
    priority: "background",
    ...(partnerId !== undefined && { partnerId }),
  });

/** Marks the snapshot as compared, unless it has been taken again or has added components meanwhile. */
async function finish(tx: Tx, { day, startedAt, components }: SnapshotRun): Promise<void> {
  const run = await tx.snapshots.lockRun(day);
  if (run?.startedAt !== startedAt || run.components !== components || run.finishedAt === null) return;
  await tx.snapshots.update(day, { comparedAt: tx.now });
  await tx.partners.bumpAllRevisions();
}

/** Returns the expected losses per unit of a partner's properties that have components. */
async function unitLossesOf(
  { store, knowledge, yieldNow }: StandingDeps,
  partnerId: string,
): Promise<ComparedProperty[]> {
  const prices = await loadCurrentPartnerPrices(store.read, knowledge, partnerId);
  const properties = new Map<string, ComparedProperty>();
  const demos = new Set(await store.read.lossRows.demoPropertyIds(partnerId));
  await store.inReadSnapshot((read) =>
    selectStoredLossRows(
      read,
      partnerId,
      (row) => {
        const { propertyId } = row;
        const units = Math.max(row.unitCount, 1);
        const component = asLossComponent(knowledge, row, prices.ofComponent(row));
        const { total, damage } = expectedLossesOf(component, NO_LAYER);
        let known = properties.get(propertyId);
        if (!known) {
          known = { propertyId, isDemo: demos.has(propertyId), expected: 0, damage: 0 };
          properties.set(propertyId, known);
        }
        known.expected += total / units;
        known.damage += damage / units;
        return 0;
      },
      yieldNow,
    ),
  );
  return [...properties.values()];
}
