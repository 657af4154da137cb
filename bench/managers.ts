import { fitCorrection } from "../src/domain/calibration/fit-lives.ts";
import { seededRandom } from "../src/domain/calibration/seeded-random.ts";
import type { ComponentDef } from "../src/domain/knowledge.ts";
import { lifespanYearsOf } from "../src/domain/planning/part.ts";
import { policyOf } from "../src/domain/planning/policy.ts";
import { loadKnowledge } from "../src/knowledge/load.ts";
import type { Figure } from "./figure.ts";

/*
 * A simulated fleet under three managers: one runs everything to failure, one replaces at the expected useful life,
 * one follows the plan. Each kind of the knowledge base stands in many places. For thirty years everything is run to
 * failure, the last ten of them on record; then each manager has the same ten years, with the same luck in each place.
 */

const PLACES_A_KIND = 200;
const YEARS_BEFORE = 30;
const YEARS_ON_RECORD = 10;
const YEARS = 10;
/** Standard deviation of the logarithm of a kind's true life over the book's, where the book is wrong. */
const WRONG_BY = 0.4;
const SEED = 20261121;

type Kind = { def: ComponentDef; bookScale: number; trueScale: number };
type Place = { kind: Kind; ageYears: number; seed: number };
/** The age at which a part is replaced before it fails, by what is believed of its kind's life. */
type Manager = (kind: Kind, believedScale: number) => number;

const partOf = ({ def }: Kind, scaleYears: number) => ({
  shape: def.weibullShape,
  scaleYears,
  plannedCents: def.proactiveCents,
  failureCents: def.reactiveCents,
  fixedLifeYears: def.fixedLifeYears,
  safety: def.safety,
});
const runToFailure: Manager = () => Number.POSITIVE_INFINITY;
const atUsefulLife: Manager = (kind, scale) => lifespanYearsOf(partOf(kind, scale));
const byPlan: Manager = (kind, scale) =>
  (policyOf(partOf(kind, scale)).bestAgeMonths ?? Number.POSITIVE_INFINITY) / 12;

export async function managers(): Promise<Figure[]> {
  const asTheBook = simulate(0);
  const wrong = simulate(WRONG_BY);
  const spent = (found: typeof wrong, names: (keyof typeof wrong)[]) =>
    names.map((name) => `${name} ${(found[name] / found["run to failure"]).toFixed(3)}`).join(", ");
  const books = ["run to failure", "useful life", "plan"] as const;
  return [
    {
      what: "spent in ten years where lives follow the book, of what running to failure costs",
      target: "the plan least",
      measured: spent(asTheBook, [...books]),
      holds: asTheBook.plan < Math.min(asTheBook["run to failure"], asTheBook["useful life"]),
    },
    {
      what: `the same where the book's lives are wrong by a factor of e^±${WRONG_BY}`,
      target: "the calibrated plan least",
      measured: spent(wrong, [...books, "calibrated plan"]),
      holds: wrong["calibrated plan"] < Math.min(wrong.plan, wrong["run to failure"], wrong["useful life"]),
    },
  ];
}

function simulate(wrongBy: number) {
  const random = seededRandom(SEED);
  const places: Place[] = [];
  const believed = new Map<Kind, number>();
  for (const def of loadKnowledge().components.values()) {
    const bookScale = def.medianLifeYears / Math.LN2 ** (1 / def.weibullShape);
    const kind = { def, bookScale, trueScale: bookScale * Math.exp(wrongBy * normal(random)) };
    const record = { failures: 0, exposure: 0 };
    for (let n = 0; n < PLACES_A_KIND; n++) places.push(settle(kind, record, random));
    const correction = fitCorrection(record.failures, record.exposure, def.weibullShape);
    believed.set(kind, bookScale * Math.exp(correction));
  }
  const total = (manager: Manager, scaleOf: (kind: Kind) => number) =>
    places.reduce((sum, place) => sum + spend(place, manager(place.kind, scaleOf(place.kind))), 0);
  const byBook = ({ bookScale }: Kind) => bookScale;
  return {
    "run to failure": total(runToFailure, byBook),
    "useful life": total(atUsefulLife, byBook),
    plan: total(byPlan, byBook),
    "calibrated plan": total(byPlan, (kind) => believed.get(kind)!),
  };
}

/** Lets a place live, run to failure, up to now; notes failures and expected hazard by the book of the years on record. */
function settle(kind: Kind, record: { failures: number; exposure: number }, random: () => number): Place {
  const hazard = (age: number) => (age / kind.bookScale) ** kind.def.weibullShape;
  const begins = YEARS_BEFORE - YEARS_ON_RECORD;
  let bornAt = 0;
  while (true) {
    const endsAt = bornAt + life(kind, 0, random);
    if (endsAt > begins) {
      const from = Math.max(0, begins - bornAt);
      record.exposure += hazard(Math.min(endsAt, YEARS_BEFORE) - bornAt) - hazard(from);
      if (endsAt <= YEARS_BEFORE) record.failures++;
    }
    if (endsAt > YEARS_BEFORE)
      return { kind, ageYears: YEARS_BEFORE - bornAt, seed: Math.floor(random() * 2 ** 31) };
    bornAt = endsAt;
  }
}

/** Returns the cost of a position over the coming years, in cents, if its component is replaced at that age at the latest. */
function spend({ kind, ageYears, seed }: Place, replacedAtAge: number): number {
  const random = seededRandom(seed);
  let cents = 0;
  let [now, age] = [0, ageYears];
  while (true) {
    const fails = life(kind, age, random);
    const due = Math.max(0, replacedAtAge - age);
    now += Math.min(fails, due);
    if (now > YEARS) return cents;
    cents += fails <= due ? kind.def.reactiveCents : kind.def.proactiveCents;
    age = 0;
  }
}

/** Years until a part of that age fails. */
function life({ def, trueScale }: Kind, age: number, random: () => number): number {
  const hazard = (age / trueScale) ** def.weibullShape - Math.log(1 - random());
  return trueScale * hazard ** (1 / def.weibullShape) - age;
}

/** Box and Muller. */
const normal = (random: () => number) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
