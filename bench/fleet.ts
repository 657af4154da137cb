import { createWriteStream } from "node:fs";
import { embeddedKnowledge } from "../src/knowledge/embedded-knowledge.ts";
import { type Files, filesIn, seeded } from "./portfolio.ts";

/** How a simulated fleet differs from the book, and how much of its past its owner wrote down. */
export type FleetKind = {
  name: string;
  /** Standard deviation of the log of the true life of a kind over the book's. */
  lifeSpread: number;
  /** Shape of the Gamma frailty of appliances; null: none differ. */
  frailtyShape: number | null;
  /** Years of records before the day. */
  recordYears: number;
  /** How often an inspector's word is about the part, and not a guess. */
  inspectors: number;
  /** Inspections of a part a year. */
  inspectionsAYear: number;
};

/** The six fleets that the model was tried on. */
export const FLEETS: readonly FleetKind[] = [
  {
    name: "recorded",
    lifeSpread: 0.25,
    frailtyShape: 4,
    recordYears: 30,
    inspectors: 0.9,
    inspectionsAYear: 0.5,
  },
  {
    name: "late records",
    lifeSpread: 0.25,
    frailtyShape: 4,
    recordYears: 10,
    inspectors: 0.9,
    inspectionsAYear: 0.5,
  },
  {
    name: "wrong lives",
    lifeSpread: 0.5,
    frailtyShape: 4,
    recordYears: 10,
    inspectors: 0.9,
    inspectionsAYear: 0.5,
  },
  {
    name: "as the book",
    lifeSpread: 0,
    frailtyShape: null,
    recordYears: 10,
    inspectors: 0.9,
    inspectionsAYear: 0.5,
  },
  {
    name: "bad inspectors",
    lifeSpread: 0.25,
    frailtyShape: 4,
    recordYears: 10,
    inspectors: 0.5,
    inspectionsAYear: 0.5,
  },
  { name: "thin", lifeSpread: 0.25, frailtyShape: 4, recordYears: 4, inspectors: 0.9, inspectionsAYear: 0.1 },
];

const DAYS_PER_YEAR = 365.25;
const MS_PER_DAY = 86_400_000;
const REPAIRS_A_YEAR = 0.1;
const STATES = ["NY", "TX", "FL", "CA", "CO", "MN", "AZ", "ME"];

/**
 * Writes a fleet with known truth: every part has a life drawn from its kind's true Weibull, by its true rate and its
 * appliance's frailty; it fails, is repaired in an emergency and replaced within a fortnight, again and again. Inspectors
 * see what state it is in, or guess. What came before the record is not written down.
 */
export async function simulatedFleet(
  folder: string,
  fleet: FleetKind,
  {
    properties,
    appliances,
    today,
    seed,
  }: { properties: number; appliances: number; today: string; seed: number },
): Promise<Files> {
  const knowledge = embeddedKnowledge();
  const random = seeded(seed);
  const files = filesIn(folder);
  const [p, a, e] = [files.properties, files.appliances, files.serviceEvents].map((file) =>
    createWriteStream(file),
  );
  const end = Date.parse(today) / MS_PER_DAY;
  const since = Math.round(end - fleet.recordYears * DAYS_PER_YEAR);
  const day = (number: number) => new Date(number * MS_PER_DAY).toISOString().slice(0, 10);
  const types = [...knowledge.types.values()];
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)]!;
  const trueFactor = new Map(
    [...knowledge.components.keys()].map((id) => [id, Math.exp(fleet.lifeSpread * normal(random))]),
  );
  p!.write("partner_property_id,name,address,city,state,unit_count,records_since\n");
  a!.write("partner_property_id,serial,type_id,install_year,brand_tier,usage_intensity\n");
  e!.write("partner_property_id,serial,component_def_id,event_type,date,condition_after\n");
  for (let i = 0; i < properties; i++) {
    const state = pick(STATES);
    p!.write(`F${i},Fleet ${i},${i} Sim St,Town,${state},4,${day(since)}\n`);
    const environment = knowledge.environment(state);
    for (let j = 0; j < appliances; j++) {
      const type = pick(types);
      const serial = `F${i}-${j}`;
      const installYear = 1996 + Math.floor(random() * 29);
      const tier = pick(["premium", "standard", "standard", "budget"] as const);
      const usage = pick([0.6, 1, 1, 1.5]);
      const frailty =
        fleet.frailtyShape === null ? 1 : gamma(fleet.frailtyShape, random) / fleet.frailtyShape;
      a!.write(`F${i},${serial},${type.id},${installYear},${tier},${usage.toFixed(1)}\n`);
      for (const def of type.components) {
        let born = Date.parse(`${installYear}-07-01`) / MS_PER_DAY;
        let life = 1;
        for (const factor of def.environment)
          life *= 1 - knowledge.model.environment.sensitivity[factor] * environment[factor];
        const use = def.wear === "use" ? usage ** knowledge.model.usageExponent : 1;
        const rate = use / Math.max(life, knowledge.model.environment.lowestLifeFactor);
        const median = def.medianLifeYears * knowledge.model.brandFactor[tier] * trueFactor.get(def.id)!;
        const scale = (median / Math.LN2 ** (1 / def.weibullShape)) * frailty ** (-1 / def.weibullShape);
        while (born < end) {
          const lasts = (scale * (-Math.log(1 - random())) ** (1 / def.weibullShape)) / rate;
          const dies = Math.round(born + lasts * DAYS_PER_YEAR);
          const write = (type: string, at: number, condition = "") => {
            if (at >= since && at <= end)
              e!.write(`F${i},${serial},${def.id},${type},${day(Math.round(at))},${condition}\n`);
          };
          // how far a part is through its life is what an inspector can see of it
          for (let at = born; ; ) {
            at += (-Math.log(1 - random()) / fleet.inspectionsAYear) * DAYS_PER_YEAR;
            if (at >= Math.min(dies, end)) break;
            const spent = (at - born) / (dies - born);
            const truth = spent < 0.6 ? "good" : spent < 0.85 ? "fair" : "poor";
            write("Inspection", at, random() < fleet.inspectors ? truth : pick(["good", "fair", "poor"]));
          }
          for (let at = born; ; ) {
            at += (-Math.log(1 - random()) / REPAIRS_A_YEAR) * DAYS_PER_YEAR;
            if (at >= Math.min(dies, end)) break;
            if ((at - born) / (dies - born) > 0.85 || random() < 0.5) write("Repair", at);
          }
          if (dies > end) break;
          write("Emergency Repair", dies);
          const replaced = dies + Math.floor(random() * 14);
          write("Replacement", replaced);
          born = replaced;
        }
      }
    }
    if (i % 200 === 0)
      await Promise.all([p, a, e].map((out) => new Promise<void>((done) => out!.write("", () => done()))));
  }
  await Promise.all([p, a, e].map((out) => new Promise<void>((done) => out!.end(done))));
  return files;
}

/** Box and Muller. */
const normal = (random: () => number) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Draws from a gamma distribution of integer shape, as a sum of exponentials. */
function gamma(shape: number, random: () => number): number {
  let sum = 0;
  for (let i = 0; i < shape; i++) sum -= Math.log(1 - random());
  return sum;
}
