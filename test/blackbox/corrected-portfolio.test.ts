import { beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type Administrator, createAdministrator, createPartnerBy } from "../support/administrator.ts";
import type { ApiClient } from "../support/client.ts";
import { TEST_TIMEOUT_MS } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { dateDaysFromToday } from "../support/portfolio.ts";

/*
 * Whatever was recorded wrongly and put right, by the partner, by an administrator or by an import, every figure must be that
 * of a partner who recorded the final state from the start. `CORRECTION_RUNS=200` compares more portfolios, with a random seed.
 */

const RUNS = Number(process.env.CORRECTION_RUNS ?? 3);
const { serve } = useMainstay();
let server: Installation;
let administrator: Administrator;
beforeAll(async () => {
  server = await serve();
  administrator = await createAdministrator(server);
});

/** An appliance, or a part of it. */
type Subject = { appliance: number; defId: string | null };
/** A record as it should be in the end, and the indexes of what it belongs to. */
type Recorded<K> = { fields: Json } & K;
type Model = {
  properties: Recorded<{ isRetired: boolean; isMerged: boolean }>[];
  appliances: Recorded<{ property: number; isRetired: boolean }>[];
  events: Recorded<Subject & { isVoid: boolean }>[];
  /** Readings of sensors, and marks on work with the number of events that were logged before them. */
  readings: Recorded<Subject>[];
  marks: Recorded<Subject & { after: number }>[];
  /** Photos of an appliance, or of an event that it has then. */
  photos: { name: string; appliance: number; event: number | null }[];
  claims: Recorded<{ property: number; isVoid: boolean }>[];
  parts: Recorded<{ appliance: number; defId: string }>[];
  /** The lines of the cost book. */
  costs: Json[];
};

const withoutNulls = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

const withoutUndefined = (fields: Json): Json => JSON.parse(JSON.stringify(fields));

/** A partner with the ids of its records by their indexes in the model. */
class Recorder {
  readonly #ids = new Map<string, string>();
  readonly #parts = new Map<number, ReadonlyMap<string, string>>();

  constructor(
    readonly partnerId: string,
    readonly client: ApiClient,
  ) {}

  id(kind: keyof Model, index: number): string {
    return this.#ids.get(`${kind} ${index}`)!;
  }

  async part(appliance: number, defId: string): Promise<string> {
    let parts = this.#parts.get(appliance);
    if (!parts) {
      const { components } = (await this.client.get(`/v1/appliances/${this.id("appliances", appliance)}`))
        .body;
      parts = new Map(components.map((one: Json) => [one.component_def_id, one.id]));
      this.#parts.set(appliance, parts);
    }
    return parts.get(defId)!;
  }

  /** Returns the ID of a unit of a property by its number. */
  async unit(property: number, number: number): Promise<string> {
    return (await this.#unitsOf(property))[number - 1].id;
  }

  async #unitsOf(property: number): Promise<Json> {
    return (await this.client.get(`/v1/property/${this.id("properties", property)}/units`)).body.units;
  }

  async property(index: number, fields: Json): Promise<void> {
    this.#ids.set(`properties ${index}`, (await this.client.post("/v1/properties", fields)).body.id);
  }

  async appliance(index: number, property: number, { unit, ...fields }: Json): Promise<void> {
    const unit_id = unit === undefined ? null : await this.unit(property, unit);
    const body = {
      ...fields,
      unit_id,
      serial: serialOf(index),
      property_id: this.id("properties", property),
    };
    this.#ids.set(`appliances ${index}`, (await this.client.post("/v1/appliances", body, 201)).body.id);
  }

  async event(index: number, appliance: number, defId: string | null, fields: Json): Promise<void> {
    const event = { ...fields, ...(await this.subject(appliance, defId)) };
    const { events } = (await this.client.post("/v1/service-events/bulk", { events: [event] }, 201)).body;
    this.#ids.set(`events ${index}`, events[0].id);
  }

  async subject(appliance: number, defId: string | null): Promise<Json> {
    const component_id = defId === null ? null : await this.part(appliance, defId);
    return { appliance_id: this.id("appliances", appliance), component_id };
  }

  async reading({ appliance, defId, fields }: Model["readings"][number]): Promise<void> {
    const appliance_id = this.id("appliances", appliance);
    const event = {
      ...fields,
      ...(defId !== null && { component_def_id: defId }),
      appliance: { appliance_id },
    };
    await this.client.post("/v1/meter-event/smart/v2", event, 201);
  }

  async mark({ appliance, defId, fields }: Model["marks"][number]): Promise<void> {
    const { component_id, appliance_id } = await this.subject(appliance, defId);
    const work = [{ ...fields, ...(component_id === null ? { appliance_id } : { component_id }) }];
    const { errors } = (await this.client.post("/v1/work-marks/bulk", { work }, 201)).body;
    expect(errors).toBe(0);
  }

  async photo({ name, appliance, event }: Model["photos"][number]): Promise<void> {
    const raw = new FormData();
    raw.set("file", new File([JPEG], name));
    if (event !== null) raw.set("service_event_id", this.id("events", event));
    const path = `/v1/appliances/${this.id("appliances", appliance)}/photos`;
    this.#ids.set(name, (await this.client.ask("POST", path, 201, { raw })).body.id);
  }

  async removePhoto({ name, appliance }: Model["photos"][number]): Promise<void> {
    const path = `/v1/appliances/${this.id("appliances", appliance)}/photos/${this.#ids.get(name)}`;
    await this.client.ask("DELETE", path, 200);
  }

  async claim(index: number, property: number, fields: Json): Promise<void> {
    const path = `/v1/property/${this.id("properties", property)}/claims`;
    this.#ids.set(`claims ${index}`, (await this.client.post(path, fields, 201)).body.id);
  }

  /** Returns every answer about the portfolio, with names instead of ids, and without the order of equals. */
  async figures({ properties, appliances }: Model): Promise<Json> {
    const names = new Map([...this.#ids].map(([name, id]) => [id, name]));
    const working = [...properties.keys()].filter(
      (index) => !properties[index]!.isRetired && !properties[index]!.isMerged,
    );
    for (const index of working)
      for (const { id, number } of await this.#unitsOf(index)) names.set(id, `unit ${number} of ${index}`);
    for (const index of appliances.keys())
      for (const [defId, id] of await this.#partsOf(index)) names.set(id, `${defId} of ${index}`);
    const answers: Json = {};
    const read = async (path: string) => {
      const { status, body } = await this.client.send("GET", path);
      answers[named(path, names)] = [status, comparable(body, names)];
    };
    for (const path of PORTFOLIO) await read(`/v1/${path}`);
    for (const index of working)
      for (const path of OF_PROPERTY) await read(`/v1/property/${this.id("properties", index)}/${path}`);
    for (const [index, { isRetired, property }] of appliances.entries())
      if (!isRetired && working.includes(property))
        await read(`/v1/appliances/${this.id("appliances", index)}/photos`);
    return answers;
  }

  async #partsOf(appliance: number): Promise<ReadonlyMap<string, string>> {
    await this.part(appliance, "");
    return this.#parts.get(appliance)!;
  }
}

const serialOf = (index: number) => `S-${index}`;

const PORTFOLIO = [
  "portfolio/summary",
  "portfolio/plan",
  "portfolio/losses",
  "portfolio/actions?limit=200",
  "alerts?limit=200",
  "properties?limit=200",
  "appliances?limit=200",
  "components?limit=200",
];
const OF_PROPERTY = [
  ...["summary", "report", "forecast", "reserve", "condition-score", "rcv", "compliance", "plan", "losses"],
  ...["underwriting", "claims", "claims/impact"],
];

/** Fields that tell when and how a state was reached, and how the property stands among others. */
const OF_THE_WAY = new Set([
  ...[
    "created_at",
    "updated_at",
    "marked_at",
    "assessed_at",
    "generated_at",
    "last_scored",
    "partner",
    "warnings",
    "standing",
    ...["filename", "url", "uploaded_at"],
  ],
]);

const named = (text: string, names: ReadonlyMap<string, string>) =>
  text.replace(/\b(P|U|A|C|SE|CLM|PH)_[0-9a-z]{26}\b/g, (id) => names.get(id) ?? id);

function comparable(value: Json, names: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") return named(value, names);
  // Sums of the same numbers in another order differ in their last digits.
  if (typeof value === "number") return Number(value.toPrecision(9));
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value))
    return value
      .map((one) => comparable(one, names))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return Object.fromEntries(
    Object.keys(value)
      .filter((key) => !OF_THE_WAY.has(key))
      .sort()
      .map((key) => [key, comparable(value[key], names)]),
  );
}

/** Records the final state of the model: in the order of the records, without what was voided. */
async function recordFinalState(made: Recorder, model: Model): Promise<Recorder> {
  const { client } = made;
  await client.put("/v1/cost-book", { lines: model.costs });
  for (const [index, { fields, isMerged }] of model.properties.entries())
    if (!isMerged) await made.property(index, fields);
  for (const [index, { fields, property }] of model.appliances.entries())
    await made.appliance(index, property, fields);
  // Before the events: a part with a Replacement on record is not found to be the original.
  for (const { appliance, defId, fields } of model.parts)
    await client.put(`/v1/components/${await made.part(appliance, defId)}`, fields);
  // A Replacement ends the marks that were made before it.
  for (let index = 0; index <= model.events.length; index++) {
    for (const mark of model.marks) if (mark.after === index) await made.mark(mark);
    const event = model.events[index];
    if (event && !event.isVoid) await made.event(index, event.appliance, event.defId, event.fields);
  }
  for (const reading of model.readings) await made.reading(reading);
  for (const photo of model.photos) await made.photo(photo);
  for (const [index, { fields, property, isVoid }] of model.claims.entries())
    if (!isVoid) await made.claim(index, property, fields);
  for (const kind of ["appliances", "properties"] as const)
    for (const [index, { isRetired }] of model[kind].entries())
      if (isRetired) await client.put(`/v1/${kind}/${made.id(kind, index)}`, { retired_at: RETIRED_AT });
  return made;
}

const RETIRED_AT = dateDaysFromToday(-3);
const TODAY = dateDaysFromToday(0);
const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46]);
/** Inspections of the types that have any. */
const INSPECTIONS: Readonly<Record<string, readonly string[]>> = {
  boiler: ["certificate_inspection", "combustion_and_flue_check"],
  elevator: ["category_1_annual_test", "category_5_full_load_test"],
  fire_suppression: ["waterflow_and_valve_quarterly", "internal_pipe_inspection"],
};
const some = <T>(...values: T[]) => fc.constantFrom(...values);
const day = (...days: number[]) => some(...days.map(dateDaysFromToday));
const arbitraries = {
  property: fc.record({
    state: some("NY", "FL"),
    unit_count: some(1, 6),
    estimated_value: some(null, 2_500_000),
    year_built: some(1955, 1985, 2001),
    gross_area_sqft: some(null, 20_000),
    stories: some(null, 4),
    replacement_value: some(null, 900_000),
    records_since: some(null, "2015-01-01"),
  }),
  appliance: fc.record({
    type_id: some("water_heater_gas", "electrical_panel", "boiler", "fire_suppression", "elevator"),
    install_year: some(null, 1985, 1990, 2015),
    size: some(null, 300),
    brand: some(null, "Zinsco", "Rheem"),
    brand_tier: some(null, "premium"),
    usage_intensity: some(null, 1.5),
    unit: some(null, 1),
  }),
  event: fc.record({
    event_type: some("Inspection", "Repair", "Replacement", "Emergency Repair", "Preventive Maintenance"),
    date: day(-2000, -800, -30, -1),
    condition_after: some(null, "good", "poor"),
    notes: some(null, "leaking", "Zinsco panel", "Cat 5 test", "panel replaced in unit 3"),
    total_cost: some(null, 900),
    parts_cost: some(null, 250),
  }),
  /** The places of the named inspections among those of the type. */
  inspections: fc.subarray([0, 1]),
  isToday: fc.boolean(),
  reading: fc.record({
    event_type: some("water_leak", "overheating", "normal"),
    severity: some("high", "critical"),
    sensor_id: some("s-1", "s-2"),
    recorded_at: some(-40, -3).map((days) => `${dateDaysFromToday(days)}T12:00:00Z`),
  }),
  mark: some(
    { state: "ordered", by: "J. Ito" },
    { state: "deferred", by: "K. Lee", until: dateDaysFromToday(60), reason: "Budget" },
    { state: "open", by: "J. Ito" },
  ),
  claim: fc.record({
    claim_type: some("water_damage", "fire_electrical", "equipment_breakdown"),
    date_of_loss: day(-100, -900, -1700),
    amount: some(500, 90_000),
    status: some("open", "closed", "denied"),
  }),
  part: fc.record({
    override_lifespan: some(null, 9),
    proactive_cost: some(null, 700),
    original: some(null, true),
    install_year: some(undefined, null, 1990, 2012),
  }),
  flags: some([], ["challenger"], ["federal_pacific", "aluminum_wiring"]),
  costs: fc.subarray([
    { type_id: "boiler", proactive_cost: 9_000, reactive_cost: 14_000, size: 200 },
    { type_id: "water_heater_gas", proactive_cost: 2_100 },
    { type_id: "water_heater_gas", state: "FL", proactive_cost: 1_700, reactive_cost: 2_600 },
    { type_id: "elevator", component_def_id: "elev_machine", reactive_cost: 99_000 },
  ]),
};
const step = fc.record({
  ...arbitraries,
  act: fc.nat(),
  at: fc.nat(),
  to: fc.nat(),
  def: fc.nat(),
  way: some("partner", "administrator", "import"),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const MOST = { properties: 3, appliances: 5 };

type Kind = "properties" | "appliances" | "events" | "claims";
const TABLES = {
  properties: "properties",
  appliances: "appliances",
  events: "service_events",
  claims: "claims",
} as const;
/** The fields that the row of an imported table cannot change. */
const NOT_IN_ROWS = new Set(["property_id", "type_id", "flags_set"]);

/** Who corrects a record, and by which request. */
type Way = Step["way"];

/** Records a portfolio step by step, wrong and put right. */
class Corrections {
  readonly model: Model = {
    properties: [],
    appliances: [],
    events: [],
    readings: [],
    marks: [],
    photos: [],
    claims: [],
    parts: [],
    costs: [],
  };

  constructor(readonly made: Recorder) {}

  async run(step: Step): Promise<void> {
    if (this.model.properties.length === 0) await this.addProperty(step);
    await this.#acts[step.act % this.#acts.length]!.call(this, step);
  }

  async addProperty({ property }: Step): Promise<void> {
    const index = this.model.properties.length;
    if (index === MOST.properties) return;
    const about = { name: `Property ${index}`, address: `${index} Elm St`, city: "Albany", zip: "12207" };
    const fields = { ...about, ...withoutNulls(property) };
    await this.made.property(index, fields);
    this.model.properties.push({ fields, isRetired: false, isMerged: false });
  }

  async addAppliance({ appliance, at }: Step): Promise<void> {
    const property = this.#property(at);
    if (property === undefined || this.model.appliances.length === MOST.appliances) return;
    const fields = withoutNulls(appliance);
    await this.made.appliance(this.model.appliances.length, property, fields);
    this.model.appliances.push({ fields, property, isRetired: false });
  }

  async addEvent(step: Step): Promise<void> {
    const appliance = this.#appliance(step.at);
    if (appliance === undefined) return;
    const defId = await this.#defId(appliance, step);
    const event = { ...step.event, inspection_types: this.#inspections(appliance, step) };
    const fields = { ...withoutNulls(event), ...(step.isToday && { date: TODAY }) };
    await this.made.event(this.model.events.length, appliance, defId, fields);
    this.model.events.push({ fields, appliance, defId, isVoid: false });
  }

  async addClaim({ claim, at }: Step): Promise<void> {
    const property = this.#property(at);
    if (property === undefined) return;
    const fields = { ...withoutNulls(claim), claim_number: `C-${this.model.claims.length}` };
    await this.made.claim(this.model.claims.length, property, fields);
    this.model.claims.push({ fields, property, isVoid: false });
  }

  async addReading(step: Step): Promise<void> {
    const appliance = this.#appliance(step.at);
    if (appliance === undefined) return;
    const reading = { fields: step.reading, appliance, defId: await this.#defId(appliance, step) };
    await this.made.reading(reading);
    this.model.readings.push(reading);
  }

  async markWork(step: Step): Promise<void> {
    const appliance = this.#appliance(step.at);
    if (appliance === undefined) return;
    const defId = await this.#defId(appliance, step);
    const mark = { fields: step.mark, appliance, defId, after: this.model.events.length };
    await this.made.mark(mark);
    this.model.marks.push(mark);
  }

  async addPhoto(step: Step): Promise<void> {
    const { events, photos } = this.model;
    const appliance = this.#appliance(step.at);
    if (appliance === undefined) return;
    const event = pick(events, step.to, (one) => !one.isVoid && one.appliance === appliance) ?? null;
    const photo = { name: `photo ${step.at} ${photos.length}`, appliance, event };
    await this.made.photo(photo);
    photos.push(photo);
  }

  async removePhoto({ at }: Step): Promise<void> {
    const { photos } = this.model;
    const photo = pick(photos, at, ({ appliance }) => this.#isWorking(appliance));
    if (photo !== undefined) await this.made.removePhoto(photos.splice(photo, 1)[0]!);
  }

  async changePart(step: Step): Promise<void> {
    const { parts } = this.model;
    const appliance = this.#appliance(step.at);
    const defId = appliance === undefined ? null : await this.#defId(appliance, step);
    if (appliance === undefined || defId === null) return;
    const id = await this.made.part(appliance, defId);
    // An empty cell changes nothing.
    const change: Json = step.way === "import" ? withoutNulls(step.part) : { ...step.part };
    // A part whose Replacement is on record has a known age.
    if (!(await this.#statePart(id, change, step.way))) return;
    const at = parts.findIndex((one) => one.appliance === appliance && one.defId === defId);
    const [before] = at < 0 ? [] : parts.splice(at, 1);
    const stated = withoutNulls({ ...before?.fields });
    const year = stated.install_year ?? this.#yearOf(appliance);
    // A year that holds already is not stated, so that an answered record can be sent back.
    if (change.install_year === year) delete change.install_year;
    parts.push({ appliance, defId, fields: withoutNulls({ ...stated, ...withoutUndefined(change) }) });
  }

  /** Returns false where the change is refused. */
  async #statePart(component_id: string, change: Json, way: Way): Promise<boolean> {
    if (way !== "import") {
      const [client, root] = this.#client(way);
      const { status } = await client.send("PUT", `${root}/components/${component_id}`, { body: change });
      return status === 200;
    }
    const row = { component_id, ...withoutUndefined(change) };
    const file = join(server.folder, "components.csv");
    writeFileSync(file, `${Object.keys(row)}\n${Object.values(row)}\n`);
    const { stdout } = await server.run(
      ...["import", "--partner", this.made.partnerId, "--components", file, "--update", "--json"],
    );
    const { rejected, components } = JSON.parse(stdout);
    expect(rejected + components.updated + components.unchanged).toBe(1);
    return rejected === 0;
  }

  /** Sets and clears the flags that a partner states. */
  async changeFlags({ at, flags, way }: Step): Promise<void> {
    const { appliances } = this.model;
    const appliance = pick(
      appliances,
      at,
      ({ fields }, index) => fields.type_id === "electrical_panel" && this.#isWorking(index),
    );
    await this.#change("appliances", appliance, { flags_set: flags }, way);
  }

  async changeCosts({ costs }: Step): Promise<void> {
    await this.made.client.put("/v1/cost-book", { lines: costs });
    this.model.costs = costs;
  }

  changeProperty = ({ property, at, way }: Step) =>
    this.#change("properties", this.#property(at), property, way);

  async changeAppliance({ appliance: { type_id: _, ...appliance }, at, way }: Step): Promise<void> {
    await this.#change("appliances", this.#appliance(at), appliance, way);
  }

  async changeEvent(step: Step): Promise<void> {
    const event = this.#pastEvent(step.at);
    if (event === undefined) return;
    const inspection_types = this.#inspections(this.model.events[event]!.appliance, step);
    await this.#change("events", event, { ...step.event, inspection_types }, step.way);
  }
  correctClaim = ({ claim, at, way }: Step) => this.#change("claims", this.#claim(at), claim, way);

  async move({ at, to, way }: Step): Promise<void> {
    const [appliance, property] = [this.#appliance(at), this.#property(to)];
    if (appliance === undefined || property === undefined) return;
    const moved = this.model.appliances[appliance]!;
    await this.#put("appliances", appliance, { property_id: this.made.id("properties", property) }, way);
    if (moved.property !== property) moved.fields = withoutNulls({ ...moved.fields, unit: null });
    moved.property = property;
  }

  async changeTypeAndBack({ appliance: { type_id }, at, way }: Step): Promise<void> {
    const appliance = this.#appliance(at);
    if (appliance === undefined) return;
    const { fields } = this.model.appliances[appliance]!;
    for (const type of [type_id, fields.type_id])
      await this.#put("appliances", appliance, { type_id: type }, way);
    // A size and flags are those of a type, and go with it.
    const { size = null, flags_set } = fields;
    await this.#put("appliances", appliance, { size, ...(flags_set && { flags_set }) }, "partner");
  }

  async moveEvent(step: Step): Promise<void> {
    const [event, appliance] = [this.#pastEvent(step.at), this.#appliance(step.to)];
    if (event === undefined || appliance === undefined) return;
    const defId = await this.#defId(appliance, step);
    const inspection_types = this.#inspections(appliance, step);
    if (step.way === "import" && defId !== null && inspection_types !== null) {
      const [appliance_id, component_def_id] = [this.made.id("appliances", appliance), defId];
      await this.#import("events", event, { appliance_id, component_def_id, inspection_types });
    } else {
      const subject = await this.made.subject(appliance, defId);
      await this.#put("events", event, { ...subject, inspection_types }, step.way);
    }
    const moved = this.model.events[event]!;
    Object.assign(moved, { appliance, defId });
    moved.fields = withoutNulls({ ...moved.fields, inspection_types });
    for (const photo of this.model.photos) if (photo.event === event) photo.appliance = appliance;
  }

  async voidEvent({ at, to, way }: Step): Promise<void> {
    const [event, { photos }] = [this.#event(at), this.model];
    // A photo of a voided event says so, and cannot be recorded afterward.
    for (const photo of photos.filter((one) => event !== undefined && one.event === event)) {
      await this.made.removePhoto(photo);
      photos.splice(photos.indexOf(photo), 1);
    }
    await this.#void("events", event, 1 + (to % 2), way);
  }
  voidClaim = ({ at, to, way }: Step) => this.#void("claims", this.#claim(at), 1 + (to % 2), way);
  retireAppliance = ({ at, way }: Step) => this.#retire("appliances", this.#appliance(at), true, way);
  retireProperty = ({ at, way }: Step) => this.#retire("properties", this.#property(at), true, way);

  async bringBack({ at, way }: Step): Promise<void> {
    const { properties, appliances } = this.model;
    const property = pick(properties, at, ({ isRetired, isMerged }) => isRetired && !isMerged);
    await this.#retire("properties", property, false, way);
    const appliance = pick(appliances, at, (one) => one.isRetired && this.#isInService(one.property));
    await this.#retire("appliances", appliance, false, way);
  }

  async merge({ at, to, way }: Step): Promise<void> {
    const { properties, appliances, claims } = this.model;
    const [into, from] = [this.#property(at), this.#property(to)];
    if (into === undefined || from === undefined || into === from) return;
    const body = { from: this.made.id("properties", from) };
    const [client, root] = this.#client(way);
    await client.ask("POST", `${root}/properties/${this.made.id("properties", into)}/merge`, 200, { body });
    const [kept, duplicate] = [properties[into]!, properties[from]!];
    duplicate.isMerged = true;
    for (const one of [...appliances, ...claims]) if (one.property === from) one.property = into;
    const unit_count = Math.max(kept.fields.unit_count, duplicate.fields.unit_count);
    kept.fields = { ...duplicate.fields, ...kept.fields, unit_count };
  }

  #isInService(property: number): boolean {
    const { isRetired, isMerged } = this.model.properties[property]!;
    return !isRetired && !isMerged;
  }
  #isWorking = (index: number) => {
    const { isRetired, property } = this.model.appliances[index]!;
    return !isRetired && this.#isInService(property);
  };
  #property = (at: number) => pick(this.model.properties, at, (_, index) => this.#isInService(index));
  #appliance = (at: number) => pick(this.model.appliances, at, (_, index) => this.#isWorking(index));
  #event = (at: number) =>
    pick(this.model.events, at, (one) => !one.isVoid && this.#isWorking(one.appliance));
  /** An event whose correction has no mark on work to end. */
  #pastEvent = (at: number) =>
    pick(
      this.model.events,
      at,
      (one) => !one.isVoid && one.fields.date !== TODAY && this.#isWorking(one.appliance),
    );
  #claim = (at: number) =>
    pick(this.model.claims, at, (one) => !one.isVoid && this.#isInService(one.property));

  readonly #acts = [
    ...[this.addProperty, this.addAppliance, this.addAppliance, this.addEvent, this.addEvent, this.addClaim],
    ...[this.addReading, this.markWork, this.addPhoto, this.addPhoto, this.removePhoto],
    ...[this.changePart, this.changeProperty, this.changeAppliance, this.changeEvent, this.correctClaim],
    ...[
      this.changeFlags,
      this.changeCosts,
      this.move,
      this.changeTypeAndBack,
      this.moveEvent,
      this.voidEvent,
      this.voidClaim,
    ],
    ...[this.retireAppliance, this.retireProperty, this.bringBack, this.merge],
  ];

  #yearOf(appliance: number): number {
    const { fields, property } = this.model.appliances[appliance]!;
    return fields.install_year ?? this.model.properties[property]!.fields.year_built;
  }

  /** Returns the inspections that an event of an appliance names; null for none. */
  #inspections(appliance: number, { inspections }: Step): readonly string[] | null {
    const ofType = INSPECTIONS[this.model.appliances[appliance]!.fields.type_id] ?? [];
    const named = ofType.filter((_, at) => inspections.includes(at));
    return named.length === 0 ? null : named;
  }

  async #defId(appliance: number, { def }: Step): Promise<string | null> {
    if (def % 3 === 0) return null;
    const path = `/v1/appliances/${this.made.id("appliances", appliance)}`;
    const { components } = (await this.made.client.get(path)).body;
    return components[def % components.length].component_def_id;
  }

  #client(way: Way): [ApiClient, string] {
    return way === "administrator" ? [administrator.client, "/admin"] : [this.made.client, "/v1"];
  }

  async #put(kind: Kind, index: number, { unit, ...body }: Json, way: Way): Promise<void> {
    const isRow = ![...Object.entries(body)].some(
      ([field, value]) => value === null || NOT_IN_ROWS.has(field),
    );
    if (way === "import" && isRow) return await this.#import(kind, index, { ...body, ...(unit && { unit }) });
    const id = this.made.id(kind, index);
    const paths = {
      properties: `properties/${id}`,
      appliances: `appliances/${id}`,
      events: `service-events/${id}`,
      claims: `property/${this.#propertyOfClaim(index)}/claims/${id}`,
    };
    if (unit !== undefined)
      body.unit_id =
        unit === null ? null : await this.made.unit(this.model.appliances[index]!.property, unit);
    const [client, root] = this.#client(way);
    await client.put(`${root}/${paths[kind]}`, body);
  }

  /** Corrects a record by the row of a table. */
  async #import(kind: Kind, index: number, change: Json): Promise<void> {
    const { fields, property }: Json = this.model[kind][index]!;
    const property_id = property === undefined ? undefined : this.made.id("properties", property);
    const { claim_number, claim_type, date_of_loss, amount, type_id } = fields;
    const identity = {
      properties: { property_id: this.made.id(kind, index) },
      appliances: { property_id, serial: serialOf(index), type_id },
      events: { service_event_id: this.made.id(kind, index) },
      claims: { property_id, claim_number, claim_type, date_of_loss, amount },
    };
    const row = { ...identity[kind], ...change };
    const columns = Object.keys(row);
    const same = Object.fromEntries(columns.map((column) => [column, column]));
    const { body } = await this.made.client.post("/v1/import-rows", {
      file: `${kind}.csv`,
      columns,
      rows: [Object.values(row).map(String)],
      update: true,
      mapping: {
        columns,
        rows: TABLES[kind],
        fields: same,
        constants: {},
        values: {},
        dates: {},
        equipment: [],
        scores: [],
      },
    });
    expect(body.rejected).toEqual([]);
    const { created, updated, unchanged } = body[TABLES[kind]];
    expect([created, updated + unchanged]).toEqual([0, 1]);
  }

  #propertyOfClaim(index: number): string {
    const property = this.model.claims[index]?.property;
    return property === undefined ? "" : this.made.id("properties", property);
  }

  async #change(kind: Kind, index: number | undefined, given: Json, way: Way): Promise<void> {
    if (index === undefined) return;
    // An empty cell changes nothing.
    const change = way === "import" ? withoutNulls(given) : given;
    if (Object.keys(change).length === 0) return;
    await this.#put(kind, index, change, way);
    const record = this.model[kind][index]!;
    record.fields = withoutNulls({ ...record.fields, ...change });
  }

  async #void(kind: "events" | "claims", index: number | undefined, times: number, way: Way): Promise<void> {
    if (index === undefined) return;
    for (let time = 0; time < times; time++) await this.#put(kind, index, { voided: true }, way);
    this.model[kind][index]!.isVoid = true;
  }

  async #retire(
    kind: "appliances" | "properties",
    index: number | undefined,
    isRetired: boolean,
    way: Way,
  ): Promise<void> {
    if (index === undefined) return;
    await this.#put(kind, index, { retired_at: isRetired ? RETIRED_AT : null }, way);
    this.model[kind][index]!.isRetired = isRetired;
  }
}

/** Returns the index of one of the records that are suitable; undefined if none is. */
function pick<T>(
  all: readonly T[],
  at: number,
  isSuitable: (one: T, index: number) => boolean,
): number | undefined {
  const suitable = [...all.keys()].filter((index) => isSuitable(all[index]!, index));
  return suitable[at % Math.max(suitable.length, 1)];
}

// Rule: corrected-portfolio
test(
  "a portfolio that was put right has the figures of one that was recorded so from the start",
  async () => {
    let partners = 0;
    const newPartner = async () => {
      const partner = await createPartnerBy(administrator, { name: `Partner ${++partners}` });
      return new Recorder(partner.partner_id, server.as(partner));
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
        const corrections = new Corrections(await newPartner());
        for (const step of steps) await corrections.run(step);
        const { model } = corrections;
        const fresh = await recordFinalState(await newPartner(), model);
        const [corrected, expected] = [await corrections.made.figures(model), await fresh.figures(model)];
        for (const [path, answer] of Object.entries(expected))
          expect([path, corrected[path]]).toEqual([path, answer]);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  },
  TEST_TIMEOUT_MS + RUNS * 10_000,
);
