import type { Knowledge, ScoringModel } from "../knowledge.ts";
import type { Corrections } from "../scoring/corrections.ts";
import { expectedHazard, hazardOfYear, UnknownPastsOfRound } from "./expected-hazard.ts";
import { type EvidenceRow, fitEvidence } from "./fit-evidence.ts";
import { fitLives, frailtyOf, type LivesFit } from "./fit-lives.ts";
import type { Life } from "./life.ts";

/** Below so many failures on record nothing is fitted (`scoring.md` §8.5). */
export const FEWEST_FAILURES = 50;
const APPLIANCES_A_CHUNK = 16;

/** What an operator's lives on record say (`scoring.md` §8). */
export type Fit = {
  lives: number;
  failures: number;
  /** In the order of their ids. */
  kinds: readonly KindFit[];
  /** κ; null where appliances do not differ. */
  frailtyShape: number | null;
  corrections: Corrections;
  /** Component years that the strengths of evidence rest on. */
  years: number;
};

/** `expected`: failures that the fitted model expects of the kind's lives. */
export type KindFit = { defId: string; lifeFactor: number; failures: number; expected: number };

export function failuresAmong(lives: readonly Life[]): number {
  return lives.reduce((count, { failed }) => count + (failed ? 1 : 0), 0);
}

/**
 * Fits lives, frailty and the strength of evidence. The order of the lives means nothing: the same record gives the same
 * bytes. Yields between two pieces of work of a few milliseconds at most.
 */
export function* fitRecord(knowledge: Knowledge, lives: readonly Life[]): Generator<void, Fit> {
  const livesFit = yield* fitLives(lives);
  const rows = yield* evidenceRows(lives, livesFit, knowledge.model);
  const strength = yield* fitEvidence(rows, knowledge.model.evidence);
  const kinds = [...livesFit.counts].map(([defId, counts]) => ({
    defId,
    lifeFactor: Math.exp(livesFit.corrections.get(defId)!),
    ...counts,
  }));
  kinds.sort((a, b) => (a.defId < b.defId ? -1 : 1));
  return {
    lives: lives.length,
    failures: failuresAmong(lives),
    kinds,
    frailtyShape: livesFit.frailtyShape,
    corrections: {
      lifeFactors: new Map(kinds.map(({ defId, lifeFactor }) => [defId, lifeFactor])),
      frailties: livesFit.frailtyShape === null ? new Map() : livesFit.frailty,
      strength,
    },
    years: rows.length,
  };
}

/** Each component in each year (§8.4), with its hazard by what was known of its appliance when the year began. */
function* evidenceRows(
  lives: readonly Life[],
  { corrections, frailtyShape }: LivesFit,
  model: ScoringModel,
): Generator<void, EvidenceRow[]> {
  const rows: EvidenceRow[] = [];
  const pasts = new UnknownPastsOfRound();
  const byAppliance = Map.groupBy(lives, ({ applianceId }) => applianceId);
  let count = 0;
  for (const ofAppliance of byAppliance.values()) {
    for (const start of new Set(ofAppliance.flatMap(({ years }) => years.map((year) => year.start)))) {
      const frailty = frailtyOf(experienceBy(start, ofAppliance, corrections, pasts), frailtyShape);
      for (const life of ofAppliance) {
        const year = life.years.find((candidate) => candidate.start === start);
        if (!year || year.failed === null) continue;
        const { condition, repairs, failed } = year;
        const correction = corrections.get(life.defId)!;
        const hazard = hazardOfYear(life, year, { correction, frailty }, model);
        rows.push({ hazard, condition, repairs, failed });
      }
    }
    if (++count % APPLIANCES_A_CHUNK === 0) yield;
  }
  return rows;
}

/** An appliance's failures and those to expect, up to a day. */
function experienceBy(
  day: number,
  lives: readonly Life[],
  corrections: ReadonlyMap<string, number>,
  pasts: UnknownPastsOfRound,
) {
  let failures = 0;
  // in an order of their own, since the components of an appliance come in any
  const hazards: number[] = [];
  for (const life of lives) {
    if (life.from > day) continue;
    const accrued = life.until <= day ? life.accrued : life.years.find(({ start }) => start === day)!.accrued;
    hazards.push(expectedHazard(life, accrued, corrections.get(life.defId)!, pasts));
    if (life.failed && life.until <= day) failures++;
  }
  return { failures, expected: hazards.sort((a, b) => a - b).reduce((sum, hazard) => sum + hazard, 0) };
}
