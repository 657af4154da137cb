import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export type Files = { properties: string; appliances: string; serviceEvents: string };

/** The three files of a folder. */
export const filesIn = (folder: string): Files => ({
  properties: join(folder, "properties.csv"),
  appliances: join(folder, "appliances.csv"),
  serviceEvents: join(folder, "service_events.csv"),
});

/**
 * The sample of New York's elevators made larger, to about as many buildings: each copy has references and serials of
 * its own and is otherwise what the register has, gaps included.
 */
export async function enlargedSample(folder: string, copies: number): Promise<Files> {
  const sample = filesIn(join(import.meta.dir, "..", "samples", "nyc-elevators"));
  const files = filesIn(folder);
  for (const name of ["properties", "appliances", "serviceEvents"] as const) {
    const [header, ...rows] = (await readFile(sample[name], "utf8")).trimEnd().split("\n");
    const own = name === "properties" ? [0] : name === "appliances" ? [0, 4] : [0, 1];
    const out = createWriteStream(files[name]);
    out.write(`${header}\n`);
    for (let copy = 0; copy < copies; copy++)
      for (const row of rows) {
        const cells = row.split(",");
        for (const at of own) if (cells[at] !== "") cells[at] = `${cells[at]}-${copy}`;
        out.write(`${cells.join(",")}\n`);
      }
    await new Promise<void>((resolve) => out.end(resolve));
  }
  return files;
}

const TYPES = [
  "hvac_central",
  "water_heater_gas",
  "refrigerator",
  "range_gas",
  "dishwasher",
  "washer",
  "dryer_electric",
  "electrical_panel",
  "ptac",
  "boiler",
  "roof",
  "plumbing_supply",
  "elevator",
  "fire_suppression",
];

/** A portfolio of `properties` buildings with 17 appliances each, about 100 components, and an event for every other. */
export async function generated(folder: string, properties: number): Promise<Files> {
  const files = filesIn(folder);
  const random = seeded(20_260_101);
  const [p, a, e] = [files.properties, files.appliances, files.serviceEvents].map((file) =>
    createWriteStream(file),
  );
  p!.write("partner_property_id,name,address,city,state,zip,unit_count,year_built\n");
  a!.write("partner_property_id,type_id,brand,model,serial,install_year\n");
  e!.write("partner_property_id,serial,event_type,date,technician,total_cost,condition_after,notes\n");
  const states = ["NY", "TX", "FL", "CA", "CO", "MN"];
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)]!;
  for (let i = 0; i < properties; i++) {
    p!.write(`B${i},Building ${i},${i} Main St,Springfield,${pick(states)},10001,24,${1950 + (i % 70)}\n`);
    for (let j = 0; j < 17; j++) {
      const year = 1996 + Math.floor(random() * 30);
      a!.write(`B${i},${TYPES[(i + j) % TYPES.length]},Rheem,M1,S${i}-${j},${year}\n`);
      if (random() < 0.5)
        e!.write(
          `B${i},S${i}-${j},${pick(["Inspection", "Repair", "Preventive Maintenance"])},2025-0${1 + Math.floor(random() * 9)}-15,,120,good,routine visit\n`,
        );
    }
    if (i % 500 === 0)
      await Promise.all(
        [p, a, e].map((out) => new Promise<void>((resolve) => out!.write("", () => resolve()))),
      );
  }
  await Promise.all([p, a, e].map((out) => new Promise<void>((resolve) => out!.end(resolve))));
  return files;
}

/** Mulberry32: the same portfolio every time. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
