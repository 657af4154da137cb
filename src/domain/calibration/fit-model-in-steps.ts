import type { Knowledge, ScoringModel } from "../domain-knowledge.ts";
import type { ModelCorrections } from "../scoring/score-model-corrections.ts";
import { ReproducibleSum } from "../statistics/reproducible-sum.ts";
import type { Steps } from "../steps/computation-steps.ts";
import type { LifeOnRecord } from "./calibration-life.ts";
import { expectedFailuresInYear, expectedFailuresOfLife, UnknownPastCache } from "./expected-failures.ts";
import { type EvidenceRow, fitEvidenceStrengthInSteps } from "./fit-evidence-strength.ts";
import { estimateFrailty, type FailureExperience, fitLivesInSteps, type LivesFit } from "./fit-lives.ts";

/** The fewest failures on record that a model is fitted to (docs/model/calibration.md#when-nothing-is-fitted). */
export const FEWEST_FAILURES = 50;
const APPLIANCES_PER_STEP = 16;
const LIVES_PER_STEP = 5000;

/** A fit to the lives on record (docs/model/calibration.md). */
export type Fit = {
  lives: number;
  failures: number;
  /** In the order of ids. */
  kinds: readonly KindFit[];
  /** κ; null without frailty. */
  frailtyShape: number | null;
  corrections: ModelCorrections;
  /** Component years that the strength of evidence is based on. */
  years: number;
};

/** The fit of a kind. `expected` are the failures that the fitted model expects of its lives. */
export type KindFit = { defId: string; lifeFactor: number; failures: number; expected: number };

/** Counts the lives that ended in failure. */
export function countFailedLives(lives: readonly LifeOnRecord[]): number {
  return lives.reduce((count, { failed }) => count + (failed ? 1 : 0), 0);
}

/**
 * Fits lives, frailty and the strength of evidence. The result is the same to the last bit for any order of the lives. A
 * step takes a few milliseconds at most.
 */
export function* fitModelInSteps(knowledge: Knowledge, lives: readonly LifeOnRecord[]): Steps<Fit> {
  const livesFit = yield* fitLivesInSteps(lives);
  const { rows, years } = yield* evidenceRows(lives, livesFit, knowledge.model);
  const strength = yield* fitEvidenceStrengthInSteps(rows, knowledge.model.evidence);
  const kinds = [...livesFit.counts].map(([defId, counts]) => ({
    defId,
    lifeFactor: Math.exp(livesFit.corrections.get(defId)!),
    ...counts,
  }));
  kinds.sort((a, b) => (a.defId < b.defId ? -1 : 1));
  return {
    lives: lives.length,
    failures: countFailedLives(lives),
    kinds,
    frailtyShape: livesFit.frailtyShape,
    corrections: {
      lifeFactors: new Map(kinds.map(({ defId, lifeFactor }) => [defId, lifeFactor])),
      frailties: livesFit.frailtyShape === null ? new Map() : livesFit.frailty,
      strength,
    },
    years,
  };
}

/** The component years with evidence, and the number of all. */
type Evidence = { rows: EvidenceRow[]; years: number };

/**
 * Returns the component years (docs/model/calibration.md#strength-of-evidence), each with its hazard under the frailty
 * known when the year began.
 */
function* evidenceRows(
  lives: readonly LifeOnRecord[],
  { corrections, frailtyShape }: LivesFit,
  model: ScoringModel,
): Steps<Evidence> {
  const rows: EvidenceRow[] = [];
  let years = 0;
  const pasts = new UnknownPastCache();
  const byAppliance = new Map<string, LifeOnRecord[]>();
  for (const [i, life] of lives.entries()) {
    const known = byAppliance.get(life.applianceId);
    if (known) known.push(life);
    else byAppliance.set(life.applianceId, [life]);
    if (i % LIVES_PER_STEP === 0) yield;
  }
  let count = 0;
  for (const ofAppliance of byAppliance.values()) {
    const experience = new Experiences(ofAppliance, corrections, pasts);
    for (const life of ofAppliance)
      for (const year of life.years) {
        if (year.failed === null) continue;
        years++;
        const { condition, repairs, failed } = year;
        if (condition === 1 && repairs === 1) continue; // exponents on 1 change nothing
        const frailty =
          frailtyShape === null ? 1 : estimateFrailty(experience.asOf(year.start), frailtyShape);
        const correction = corrections.get(life.defId)!;
        const hazard = expectedFailuresInYear(life, year, { correction, frailty }, model);
        rows.push({ hazard, condition, repairs, failed });
      }
    if (++count % APPLIANCES_PER_STEP === 0) yield;
  }
  return { rows, years };
}

/** An appliance's experience as of several days. */
class Experiences {
  readonly #byDay = new Map<number, FailureExperience>();
  readonly #ended = new Map<LifeOnRecord, number>();

  constructor(
    private readonly lives: readonly LifeOnRecord[],
    private readonly corrections: ReadonlyMap<string, number>,
    private readonly pasts: UnknownPastCache,
  ) {}

  /** Returns the experience up to a day number. */
  asOf(day: number): FailureExperience {
    const experience = this.#byDay.get(day) ?? this.#compute(day);
    this.#byDay.set(day, experience);
    return experience;
  }

  #compute(day: number): FailureExperience {
    let failures = 0;
    const expected = new ReproducibleSum();
    for (const life of this.lives) {
      if (life.from > day) continue;
      if (life.until <= day) {
        const hazard = this.#ended.get(life) ?? this.#hazard(life, life.accrued);
        this.#ended.set(life, hazard);
        expected.add(hazard);
        if (life.failed) failures++;
      } else expected.add(this.#hazard(life, life.years.find(({ start }) => start === day)!.accrued));
    }
    return { failures, expected: expected.value };
  }

  #hazard(life: LifeOnRecord, accrued: number): number {
    return expectedFailuresOfLife(life, accrued, this.corrections.get(life.defId)!, this.pasts);
  }
}
