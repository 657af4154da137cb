import type { System } from "../domain-knowledge.ts";
import type { ModelCorrections } from "../scoring/score-model-corrections.ts";
import { ReproducibleSums } from "../statistics/reproducible-sum.ts";
import type { Steps } from "../steps/computation-steps.ts";
import { type Day, dayNumber, dayNumberOfDate, MS_PER_DAY } from "../time.ts";
import type { LifeOnRecord } from "./calibration-life.ts";
import { expectedFailuresOfLife, UnknownPastCache } from "./expected-failures.ts";

const LIVES_PER_STEP = 256;
/** Failures are counted so many years back: what older years had in common says little of the coming one. */
const YEARS_COUNTED = 40;

/** The failures of one class in one census division in one calendar year, recorded and expected by the fitted lives. */
export type FailureYear = {
  system: System;
  division: string;
  year: number;
  failures: number;
  expected: number;
};

/**
 * Returns the failures of each class and division by calendar year, for the years that are wholly on record there
 * (docs/model/calibration.md#shared-causes). The result is the same for any order of the lives.
 */
export function* countFailuresByYearInSteps(
  lives: readonly LifeOnRecord[],
  { lifeFactors, frailties }: Pick<ModelCorrections, "lifeFactors" | "frailties">,
  asOf: Day,
): Steps<FailureYear[]> {
  const last = calendarYear(dayNumber(asOf) + 1) - 1;
  const oldest = last - YEARS_COUNTED + 1;
  const groups = yield* groupsOf(lives, oldest, last);
  const places = new Map(groups.map((group, place) => [keyOf(group), place]));
  const expected = new ReproducibleSums(groups.length * YEARS_COUNTED);
  const failures = new Float64Array(groups.length * YEARS_COUNTED);
  const pasts = new UnknownPastCache();
  for (const [i, life] of lives.entries()) {
    if (i % LIVES_PER_STEP === 0) yield;
    const place = places.get(keyOf(life));
    if (place === undefined) continue;
    const base = place * YEARS_COUNTED - oldest;
    const correction = Math.log(lifeFactors.get(life.defId) ?? 1);
    const frailty = frailties.get(life.applianceId) ?? 1;
    let before = 0;
    for (const { year, accrued } of agesByYear(life, oldest)) {
      const hazard = expectedFailuresOfLife(life, accrued, correction, pasts);
      if (year >= oldest && year <= last) expected.add(base + year, frailty * (hazard - before));
      before = hazard;
    }
    const ended = calendarYear(life.until);
    if (life.failed && ended >= oldest && ended <= last) failures[base + ended]!++;
  }
  const cells: FailureYear[] = [];
  for (const [place, { system, division, first }] of groups.entries())
    for (let year = first; year <= last; year++) {
      const at = place * YEARS_COUNTED + year - oldest;
      // Without an exposure there is nothing to compare.
      if (expected.value(at) > 0)
        cells.push({ system, division, year, failures: failures[at]!, expected: expected.value(at) });
    }
  return cells;
}

type Group = { system: System; division: string; first: number };

const keyOf = ({ system, division }: Pick<Group, "system" | "division">) => `${system} ${division}`;

/** Returns the classes and divisions with their first whole year on record, in the order of their names. */
function* groupsOf(lives: readonly LifeOnRecord[], oldest: number, last: number): Steps<Group[]> {
  const groups = new Map<string, { system: System; division: string; from: number }>();
  for (const [i, { system, division, from }] of lives.entries()) {
    const key = keyOf({ system, division });
    const known = groups.get(key);
    if (!known) groups.set(key, { system, division, from });
    else if (from < known.from) known.from = from;
    if (i % LIVES_PER_STEP === 0) yield;
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { system, division, from }]) => ({
      system,
      division,
      first: Math.max(calendarYear(from - 1) + 1, oldest),
    }))
    .filter(({ first }) => first <= last);
}

/**
 * Returns the virtual age that a life has accrued on record by the end of each calendar year, or by its own end; it accrues
 * evenly. The first entry covers all years before `oldest`, too.
 */
function* agesByYear(
  { from, until, accrued }: LifeOnRecord,
  oldest: number,
): Iterable<{ year: number; accrued: number }> {
  const last = calendarYear(until - 1);
  for (let year = Math.max(calendarYear(from), oldest - 1); year < last; year++) {
    const end = dayNumberOfDate(year + 1, 1, 1);
    yield { year, accrued: (accrued * (end - from)) / (until - from) };
  }
  yield { year: last, accrued };
}

/** Returns the calendar year of a day number. */
const calendarYear = (day: number): number => new Date(day * MS_PER_DAY).getUTCFullYear();
