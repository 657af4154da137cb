import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { Instant } from "../../domain/time.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { Store, Tx } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";
import { renewChangedPlans } from "../planning/load-portfolio-plan.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { recountPropertyBatch } from "./recount-derived-data.ts";

/*
 * Stored sums follow from prices: those of properties and of the portfolio, and the plans. When prices change, the sums of
 * a small portfolio are recalculated in the same transaction. For a large one this is requested, and a job does it in
 * short transactions, each of which records how far it has come. Meanwhile answers with money say so.
 */

/** The most components of a portfolio whose sums are recalculated at once: some 50 ms, in which other requests run. */
const SMALL_PORTFOLIO = 2_000;
/** The most properties of such a portfolio, retired ones included: each takes 0.1 ms, with components or without. */
const FEW_PROPERTIES = 400;

type RecalculationDeps = {
  store: Store;
  knowledge: Knowledge;
  clock: () => Instant;
  yieldNow: Yield;
  /** Stops between two steps; the next call continues from there. */
  signal?: AbortSignal;
};

/** Makes the stored sums follow the prices as the transaction has changed them, or requests it for a large portfolio. */
export async function recalculateSumsForPrices({ tx, knowledge, partner }: PortfolioWriter): Promise<void> {
  const { components, retiredComponents, properties } = await tx.totals.stored(partner.id);
  if (components - retiredComponents > SMALL_PORTFOLIO || properties > FEW_PROPERTIES) {
    await tx.recalculations.request(partner.id, tx.now);
    return;
  }
  await recountPropertyBatch(tx, knowledge, partner.id, 0, FEW_PROPERTIES);
}

/** Returns whether stored sums of the partner do not follow the present prices yet. */
export async function isRecalculatingSums(
  { recalculations }: Pick<Stores, "recalculations">,
  partnerId: string,
): Promise<boolean> {
  return (await recalculations.ofPartner(partnerId)) !== undefined;
}

/** To be raised with a change of the rules by which stored sums follow from rows, so that an upgrade recalculates them. */
const SUM_RULES = 2;

/**
 * Returns a digest of what stored sums, when units are due, and open deficiencies follow from beside rows and cost books: the
 * knowledge base, the settings, and the rules of the sums. Scores themselves follow a new model with the next snapshot.
 */
export function recalculationBasisDigest(knowledge: Knowledge): string {
  const costs = [...knowledge.types.values()].map((type) => [
    ...[type.id, type.replacementCents, type.size, type.whole],
    knowledge.regimes(type.id).map(({ componentIds, ...regime }) => [regime, [...componentIds]]),
    type.components.map((def) => [
      ...[def.id, def.proactiveCents, def.emergencyCents, def.damage],
      ...[def.medianLifeYears, def.weibullShape, def.fixedLifeYears, def.safety, def.replaced],
    ]),
  ]);
  const { brandFactor, evidence } = knowledge.model;
  const life = { brandFactor, smartEvent: evidence.smartEvent };
  const { locationFactors, priceLevel } = knowledge.priceTerms;
  const keywords = knowledge.keywords.version;
  const terms = { priceLevel, locationFactors: locationFactors && [...locationFactors] };
  return new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([costs, terms, life, keywords, SUM_RULES]))
    .digest("hex");
}

/**
 * Requests the recalculation of all partners if the sums follow from anything else than the stored ones: another
 * knowledge base, or other settings. `basis` is a digest of both.
 */
export async function requestRecalculationIfBasisChanged(store: Store, basis: string): Promise<boolean> {
  if ((await store.read.recalculations.basis()) === basis) return false;
  return await store.write(async (tx) => {
    const before = await tx.recalculations.basis();
    if (before === basis) return false;
    // A new database has no sums yet.
    if (before !== undefined) await requestAll(tx);
    await tx.recalculations.setBasis(basis);
    return before !== undefined;
  });
}

/** Requests the recalculation of the sums of all partners. */
export async function requestRecalculation(store: Store): Promise<void> {
  await store.write(requestAll);
}

async function requestAll(tx: Tx): Promise<void> {
  // Responses of all partners have `recalculating` from now on. Their rows are locked first, as in other writes.
  await tx.partners.bumpAllRevisions();
  await tx.recalculations.requestAll(tx.now);
}

/** Completes all requested recalculations; returns the partners whose sums follow their prices now. */
export async function recalculateStoredSums(deps: RecalculationDeps): Promise<string[]> {
  const done: string[] = [];
  for (const { partnerId } of await deps.store.read.recalculations.all())
    if (await recalculatePartner(deps, partnerId)) done.push(partnerId);
  return done;
}

/** Returns false if nothing was left to do, as for a partner that is purged meanwhile. */
async function recalculatePartner(deps: RecalculationDeps, partnerId: string): Promise<boolean> {
  const { store, knowledge, yieldNow, signal } = deps;
  const write = <T>(run: (tx: Tx) => Promise<T>) =>
    store.write(run, { durability: "process", priority: "background", partnerId });
  while (true) {
    signal?.throwIfAborted();
    const step = await write((tx) => takeStep(tx, knowledge, partnerId));
    if (step === "none") return false;
    if (step === "counted") {
      await renewChangedPlans(deps, partnerId);
      if (await write((tx) => finish(tx, partnerId))) return true;
    }
    await yieldNow();
  }
}

/** Recalculates the next properties. Resolves with `counted` once none is left. */
async function takeStep(
  tx: Tx,
  knowledge: Knowledge,
  partnerId: string,
): Promise<"more" | "counted" | "none"> {
  if (!(await tx.partners.find(partnerId))) return "none";
  // Locks the partner's rows, so that no write of it changes the sums meanwhile.
  await tx.forPartner(partnerId);
  const current = await tx.recalculations.ofPartner(partnerId);
  if (!current) return "none";
  const doneSeq = await recountPropertyBatch(tx, knowledge, partnerId, current.doneSeq);
  if (doneSeq === undefined) return "counted";
  await tx.recalculations.advance({ ...current, doneSeq });
  tx.bumpRevision(partnerId);
  return "more";
}

/** Ends the recalculation, unless properties or requests were added after the last step. */
async function finish(tx: Tx, partnerId: string): Promise<boolean> {
  if (!(await tx.partners.find(partnerId))) return true;
  const rows = await tx.forPartner(partnerId);
  const current = await tx.recalculations.ofPartner(partnerId);
  const latest = rows.latestSeq("properties");
  if (current && current.doneSeq < latest) return false;
  if (current) await tx.recalculations.finish(current);
  tx.bumpRevision(partnerId);
  return true;
}
