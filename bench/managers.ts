import { fitLifeCorrection } from "../src/domain/calibration/fit-lives.ts";
import { PriceList } from "../src/domain/costs/price-list.ts";
import type { ApplianceType, ComponentDef } from "../src/domain/domain-knowledge.ts";
import { planAppliance, type WholeAppliance } from "../src/domain/planning/appliance-plan.ts";
import { LOOKAHEAD_MONTHS } from "../src/domain/planning/horizon.ts";
import { lifespanYearsOf, type PartInPlace } from "../src/domain/planning/part-in-place.ts";
import { planCaches } from "../src/domain/planning/plan-context.ts";
import { replacementPolicyOf } from "../src/domain/planning/replacement-policy.ts";
import { seededRandom } from "../src/domain/statistics/seeded-random.ts";
import { embeddedKnowledge } from "../src/knowledge/embedded-knowledge.ts";
import type { Figure } from "./figure.ts";

/*
 * A simulated fleet under managers: one runs everything to failure, one replaces each part at its expected useful life, one
 * replaces appliances by a table of useful lives, one follows the plan part by part, as its first form did, and one follows
 * the plan. Each type of the knowledge base stands in many places. For thirty years everything is run to failure, the last
 * ten of them on record; then each manager has the same forty years, with the same luck in each place. In ten, a manager that
 * renews what has been run to failure pays for equipment that outlasts them: the value of what is left of it, by the straight
 * line of its expected life, is taken off there.
 */

const PLACES_A_TYPE = 300;
const YEARS_BEFORE = 30;
const YEARS_ON_RECORD = 10;
const YEARS = 40;
const FEW_YEARS = 10;
/** Standard deviation of the logarithm of a kind's true life over the book's, where the book is wrong. */
const WRONG_BY = 0.4;
const SEED = 20261121;
const NEVER = Number.POSITIVE_INFINITY;

type Kind = {
  def: ComponentDef;
  bookScale: number;
  trueScale: number;
  plannedCents: number;
  failedCents: number;
  /** The rules that replace it whatever it costs. */
  rules: Pick<ComponentDef, "fixedLifeYears" | "safety">;
};
type Type = {
  kinds: Kind[];
  /** Null where parts are replaced one by one. `principal` is the part whose failure is the unit's; -1 without one. */
  whole: { plannedCents: number; failedCents: number; principal: number; lifeYears: number | null } | null;
};
/** An appliance as it stands when the forty years begin: the ages of its parts and of itself. */
type Place = { type: Type; ages: number[]; unitAge: number; seed: number };
/** The years until parts and the unit are replaced as planned work, and those of their successors. */
type Decision = { due: number[]; unitDue: number; ages: number[]; unitAge: number; isPartByPart?: boolean };
type Manager = (place: Place, scaleOf: (kind: Kind) => number) => Decision;

const partOf = (
  { def, plannedCents, failedCents, rules }: Kind,
  scaleYears: number,
  ageYears: number,
): PartInPlace => ({
  shape: def.weibullShape,
  scaleYears,
  plannedCents,
  failureCents: failedCents,
  ageYears,
  labelAgeYears: ageYears,
  ...rules,
  hazardRatio: 1,
  failureProbability: 0,
});

/** Returns the decision to replace parts and units at these ages. */
const atAges = (place: Place, ages: number[], unitAge: number): Decision => ({
  ages,
  unitAge,
  due: ages.map((age, at) => Math.max(0, age - place.ages[at]!)),
  unitDue: Math.max(0, unitAge - place.unitAge),
});
const never = ({ type }: Place) => type.kinds.map(() => NEVER);
const lifeOf = (kind: Kind, scale: number) => lifespanYearsOf(partOf(kind, scale, 0));

const runToFailure: Manager = (place) => atAges(place, never(place), NEVER);
const atUsefulLife: Manager = (place, scaleOf) =>
  atAges(
    place,
    place.type.kinds.map((kind) => lifeOf(kind, scaleOf(kind))),
    NEVER,
  );
/** Whole years of the principal part's life, or of each part's where there is no unit, whatever it costs. */
const byTable: Manager = (place, scaleOf) => {
  const { kinds, whole } = place.type;
  const lives = kinds.map((kind) => Math.max(1, Math.round(lifeOf(kind, scaleOf(kind)))));
  if (!whole) return atAges(place, lives, NEVER);
  return atAges(place, never(place), whole.lifeYears ?? lives[whole.principal]!);
};
const partByPart: Manager = (place, scaleOf) => {
  const ages = place.type.kinds.map(
    (kind) => (replacementPolicyOf(partOf(kind, scaleOf(kind), 0)).bestAgeMonths ?? NEVER) / 12,
  );
  return { ...atAges(place, ages, NEVER), isPartByPart: true };
};
const byPlan: Manager = (place, scaleOf) => {
  const { kinds, whole } = place.type;
  const parts = kinds.map((kind, at) => partOf(kind, scaleOf(kind), place.ages[at]!));
  const unit: WholeAppliance | null = whole && {
    priceCents: whole.plannedCents,
    failedPriceCents: whole.failedCents,
    principal: whole.principal < 0 ? null : whole.principal,
    lifeYears: whole.lifeYears,
    calendarAgeYears: place.unitAge,
  };
  const plan = planAppliance(parts, unit, planCaches);
  const inYears = (months: number | null) => (months === null ? NEVER : months / 12);
  const isUnits = (at: number) => whole?.principal === at;
  return {
    due: plan.parts.map(({ dueInYears }, at) => (isUnits(at) ? NEVER : (dueInYears ?? NEVER))),
    ages: plan.parts.map(({ bestAgeMonths }, at) => (isUnits(at) ? NEVER : inYears(bestAgeMonths))),
    unitDue: plan.unit ? inYears(plan.unit.dueInMonths) : NEVER,
    unitAge: plan.unit && plan.unit.bestAgeMonths < LOOKAHEAD_MONTHS ? plan.unit.bestAgeMonths / 12 : NEVER,
  };
};

const MANAGERS = {
  "run to failure": runToFailure,
  "useful life": atUsefulLife,
  "EUL table": byTable,
  "plan by parts": partByPart,
  plan: byPlan,
} as const satisfies Record<string, Manager>;
type Name = keyof typeof MANAGERS;
const NAMES = Object.keys(MANAGERS) as Name[];
type Spent = Record<Name | "calibrated plan", number>;

export async function managers(): Promise<Figure[]> {
  const asTheBook = simulate(0);
  const wrong = simulate(WRONG_BY);
  const byCost = simulate(0, { rules: { fixedLifeYears: null, safety: false } });
  const few = simulate(0, { years: FEW_YEARS });
  const fewLessWorth = simulate(0, { years: FEW_YEARS, isWorthLeft: true });
  const shares = (found: Spent, names: readonly (keyof Spent)[]) =>
    names.map((name) => `${name} ${(found[name] / found["run to failure"]).toFixed(3)}`).join(", ");
  const leastOfPlanned = (found: Spent, name: keyof Spent) =>
    NAMES.every((other) => other === name || other === "run to failure" || found[name] < found[other]);
  return [
    {
      what: `spent in ${YEARS} years where lives follow the book, of what running to failure costs`,
      target: "the plan least of those that replace before a failure",
      measured: shares(asTheBook, NAMES),
      holds: leastOfPlanned(asTheBook, "plan"),
    },
    {
      what: "the same without the rules that replace what protects people, and certified lives, whatever it costs",
      target: "the plan less than running to failure",
      measured: shares(byCost, ["plan by parts", "plan"]),
      holds: byCost.plan < byCost["run to failure"],
    },
    {
      what: `spent in ${FEW_YEARS} years, less the value of the life left in what stands at their end, of that of running to failure`,
      target: "the plan less than running to failure",
      measured: `${shares(fewLessWorth, NAMES)}; with that value included: ${shares(few, NAMES)}`,
      holds: fewLessWorth.plan < fewLessWorth["run to failure"],
    },
    {
      what: `spent in ${YEARS} years where the book's lives are wrong by a factor of e^±${WRONG_BY}`,
      target: "the calibrated plan least of those that replace before a failure",
      measured: shares(wrong, [...NAMES, "calibrated plan"]),
      holds: leastOfPlanned(wrong, "calibrated plan") && wrong["calibrated plan"] < wrong.plan,
    },
  ];
}

/** `rules` replace those of the knowledge base; `isWorthLeft` takes off the value of what stands at the end. */
function simulate(
  wrongBy: number,
  {
    rules,
    years = YEARS,
    isWorthLeft = false,
  }: { rules?: Kind["rules"]; years?: number; isWorthLeft?: boolean } = {},
): Spent {
  const random = seededRandom(SEED);
  const knowledge = embeddedKnowledge();
  const prices = new PriceList(knowledge, { locationFactors: null, priceLevel: 1 });
  const places: Place[] = [];
  const believed = new Map<Kind, number>();
  for (const applianceType of knowledge.types.values()) {
    const type = typeOf(applianceType, prices, rules, () => Math.exp(wrongBy * normal(random)));
    const records = type.kinds.map(() => ({ failures: 0, exposure: 0 }));
    for (let n = 0; n < PLACES_A_TYPE; n++) places.push(settle(type, records, random));
    for (const [at, kind] of type.kinds.entries()) {
      const { failures, exposure } = records[at]!;
      const correction = fitLifeCorrection(failures, exposure, kind.def.weibullShape);
      believed.set(kind, kind.bookScale * Math.exp(correction));
    }
  }
  const total = (manager: Manager, scaleOf: (kind: Kind) => number) =>
    places.reduce((sum, place) => {
      const decision = manager(place, scaleOf);
      const end = live(place, decision, years, () => {});
      return sum + end.cents - (isWorthLeft ? worthOf(place.type, end, decision) : 0);
    }, 0);
  const spent = NAMES.map((name) => [name, total(MANAGERS[name], ({ bookScale }) => bookScale)]);
  const calibrated = total(byPlan, (kind) => believed.get(kind)!);
  return { ...Object.fromEntries(spent), "calibrated plan": calibrated };
}

function typeOf(
  { id, components, whole }: ApplianceType,
  prices: PriceList,
  rules: Kind["rules"] | undefined,
  factor: () => number,
): Type {
  const place = { state: "OH", unitCount: 12, grossAreaSqft: null, stories: null };
  const ofType = prices.ofAppliance({ typeId: id, size: null, unitId: null }, place);
  const kinds = components.map((def) => {
    const bookScale = def.medianLifeYears / Math.LN2 ** (1 / def.weibullShape);
    const { plannedCents, failedCents } = ofType.part(def.id);
    return {
      def,
      bookScale,
      trueScale: bookScale * factor(),
      plannedCents,
      failedCents,
      rules: rules ?? rulesOf(def),
    };
  });
  const { plannedCents, failedCents } = ofType.unit();
  const principal = components.findIndex((def) => def.id === whole?.principal?.defId);
  return { kinds, whole: whole && { plannedCents, failedCents, principal, lifeYears: whole.lifeYears } };
}

const rulesOf = ({ fixedLifeYears, safety }: ComponentDef) => ({ fixedLifeYears, safety });

/** Lets a place live, run to failure, up to now; notes failures and expected hazard by the book of the years on record. */
function settle(type: Type, records: { failures: number; exposure: number }[], random: () => number): Place {
  const seed = () => Math.floor(random() * 2 ** 31);
  const begins = YEARS_BEFORE - YEARS_ON_RECORD;
  const start = { type, ages: type.kinds.map(() => 0), unitAge: 0, seed: seed() };
  const ended = live(
    start,
    runToFailure(start, () => 0),
    YEARS_BEFORE,
    ({ part, from, to, fails }) => {
      const { bookScale, def } = type.kinds[part]!;
      const hazard = (age: number) => (age / bookScale) ** def.weibullShape;
      if (to <= begins) return;
      records[part]!.exposure += hazard(to - from) - hazard(Math.max(0, begins - from));
      if (fails) records[part]!.failures++;
    },
  );
  return { type, ...ended, seed: seed() };
}

/** Returns the value of what stands at these ages: its planned cost, less the share of its expected life that is used up. */
function worthOf(
  { kinds, whole }: Type,
  { ages, unitAge }: Pick<Place, "ages" | "unitAge">,
  { isPartByPart }: Decision,
): number {
  const left = (age: number, life: number) => Math.max(0, 1 - age / life);
  const lives = kinds.map((kind) => lifeOf(kind, kind.trueScale));
  if (!whole || isPartByPart)
    return kinds.reduce((sum, { plannedCents }, at) => sum + plannedCents * left(ages[at]!, lives[at]!), 0);
  return whole.plannedCents * left(unitAge, whole.principal < 0 ? whole.lifeYears! : lives[whole.principal]!);
}

/** A part that ends: its installation and end in years from now, and whether it fails. */
type Ended = { part: number; from: number; to: number; fails: boolean };

/** Lets an appliance live for some years. A unit that is replaced has new parts. */
function live(place: Place, decision: Decision, years: number, onEnd: (ended: Ended) => void) {
  const { kinds, whole } = place.type;
  const luck = kinds.map((_, at) => seededRandom(place.seed + at));
  const parts = kinds.map((kind, at) => ({
    from: -place.ages[at]!,
    fails: lifeFrom(kind, place.ages[at]!, luck[at]!),
    due: decision.due[at]!,
  }));
  let unit = { from: -place.unitAge, due: decision.unitDue };
  let cents = 0;
  const renew = (at: number, now: number) => {
    parts[at] = { from: now, fails: now + lifeFrom(kinds[at]!, 0, luck[at]!), due: now + decision.ages[at]! };
  };
  while (true) {
    let [first, now] = [-1, unit.due];
    for (const [at, { fails, due }] of parts.entries())
      if (Math.min(fails, due) < now) [first, now] = [at, Math.min(fails, due)];
    const end = Math.min(now, years);
    const isFailure = first >= 0 && parts[first]!.fails <= now;
    const takesUnit = first < 0 || (whole !== null && first === whole.principal);
    const renewsAll = takesUnit && !decision.isPartByPart;
    for (const [at, { from }] of parts.entries())
      if (now > years || at === first || renewsAll)
        onEnd({ part: at, from, to: end, fails: now <= years && at === first && isFailure });
    if (now > years)
      return { cents, ages: parts.map(({ from }) => years - from), unitAge: years - unit.from };
    const price = takesUnit ? whole! : kinds[first]!;
    cents += isFailure ? price.failedCents : price.plannedCents;
    if (!renewsAll) {
      renew(first, now);
      continue;
    }
    for (const at of parts.keys()) renew(at, now);
    unit = { from: now, due: now + decision.unitAge };
  }
}

/** Returns the years until a part of that age fails. */
function lifeFrom({ def, trueScale }: Kind, age: number, random: () => number): number {
  const hazard = (age / trueScale) ** def.weibullShape - Math.log(1 - random());
  return trueScale * hazard ** (1 / def.weibullShape) - age;
}

/** Box and Muller. */
const normal = (random: () => number) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
