import { CRITICAL_FROM, WARNING_FROM } from "../domain/component.ts";
import { SYSTEMS } from "../domain/domain-knowledge.ts";
import type { CheckedFiles } from "./knowledge-file-schemas.ts";
import type { KnowledgeFiles } from "./knowledge-files.ts";

/** An invalid file of the knowledge base. The message names the file and the entry. */
export class KnowledgeError extends Error {
  override readonly name = "KnowledgeError";
  constructor(file: string, entry: string, problem: string) {
    super(`Knowledge base, ${file}, ${entry}: ${problem}`);
  }
}

/** Component counts that the partner API promises. */
const PROMISED_COUNTS: Readonly<Record<string, number>> = {
  hvac_central: 8,
  hvac_heat_pump: 7,
  hvac_mini_split: 6,
  water_heater_gas: 6,
  water_heater_electric: 7,
  water_heater_tankless: 6,
  refrigerator: 8,
  washer: 6,
  dryer_electric: 6,
  dryer_gas: 7,
  dishwasher: 6,
  range_gas: 6,
  range_electric: 6,
  electrical_panel: 5,
  boiler: 6,
  roof: 6,
  pool_equipment: 6,
  elevator: 5,
  fire_suppression: 5,
};

/** Checks that the files agree with each other and with the partner API. Throws a KnowledgeError otherwise. */
export function checkKnowledgeReferences(files: CheckedFiles): void {
  const ids = checkIds(files);
  checkPromises(files);
  checkBrands(files, ids);
  checkCascades(files, ids.components);
  checkClaimTypes(files, ids.components);
  checkEras(files, ids.components);
  checkHazards(files, ids);
  checkWholeUnits(files);
  checkLossClasses(files);
  checkDivisions(files);
  checkRegimes(files, ids);
  checkKeywords(files, ids.components);
  checkSmartEvents(files, ids.components);
  checkStates(files);
}

type Ids = { types: ReadonlySet<string>; components: ReadonlySet<string> };

function checkIds({ appliances, sources }: CheckedFiles): Ids {
  const types = new Set<string>();
  const components = new Set<string>();
  for (const { type_id, components: parts } of appliances) {
    const file = `appliances/${type_id}.json`;
    addNew(types, type_id, file, "type_id");
    for (const [i, part] of parts.entries()) {
      addNew(components, part.id, file, `components[${i}].id`);
      if (part.emergency_cost_usd.value < part.proactive_cost_usd.value)
        throw new KnowledgeError(file, part.id, "costs less after a failure than before it");
      if (new Set(part.environment.value).size < part.environment.value.length)
        throw new KnowledgeError(file, part.id, "names an environment factor twice");
    }
  }
  const tokens = new Set<string>();
  for (const [i, { token }] of sources.sources.entries())
    addNew(tokens, token, "sources.json", `sources[${i}].token`);
  return { types, components };
}

function checkPromises({ appliances, model }: CheckedFiles): void {
  for (const [typeId, count] of Object.entries(PROMISED_COUNTS)) {
    const found = appliances.find(({ type_id }) => type_id === typeId)?.components.length ?? 0;
    if (found !== count)
      throw new KnowledgeError(
        `appliances/${typeId}.json`,
        "components",
        `has ${found}; the partner API promises ${count}`,
      );
  }
  const { critical_from, warning_from } = model.tiers;
  if (critical_from * 100 !== CRITICAL_FROM || warning_from * 100 !== WARNING_FROM)
    throw new KnowledgeError("model.json", "tiers", "the partner API promises 0.78 and 0.52");
}

/** Checks that every provenance in the files names a listed source. Throws a KnowledgeError otherwise. */
export function checkKnowledgeSources(files: KnowledgeFiles, { sources }: CheckedFiles["sources"]): void {
  const known = new Set(sources.map(({ token }) => token));
  for (const [file, content] of Object.entries(files)) visit(file, "", content);

  function visit(file: string, path: string, node: unknown): void {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      const entry = path ? `${path}.${key}` : key;
      if (key === "source" && typeof value === "string" && !known.has(value))
        throw new KnowledgeError(file, entry, `unknown source ${value}`);
      visit(file, entry, value);
    }
  }
}

function checkBrands({ brands }: CheckedFiles, { types, components }: Ids): void {
  const file = "brands.json";
  const covered = new Set<string>();
  for (const [i, family] of brands.families.entries())
    for (const typeId of family.type_ids) {
      expectKnown(types, typeId, file, `families[${i}]`, "appliance type");
      addNew(covered, typeId, file, `families[${i}]`);
    }
  for (const [i, hazard] of brands.hazards.entries()) {
    for (const id of hazard.type_ids) expectKnown(types, id, file, `hazards[${i}]`, "appliance type");
    expectComponents(components, hazard.component_ids, file, `hazards[${i}]`);
  }
}

function checkCascades({ cascades }: CheckedFiles, components: ReadonlySet<string>): void {
  const file = "cascades.json";
  const rules = new Set<string>();
  const upstreamOf = new Map<string, string[]>();
  for (const [i, { upstream, downstream }] of cascades.rules.entries()) {
    expectComponents(components, [upstream, downstream], file, `rules[${i}]`);
    addNew(rules, `${upstream} to ${downstream}`, file, `rules[${i}]`);
    upstreamOf.set(downstream, [...(upstreamOf.get(downstream) ?? []), upstream]);
  }
  const acyclic = new Set<string>();
  for (const id of upstreamOf.keys()) climb(id, []);

  function climb(id: string, path: readonly string[]): void {
    if (path.includes(id))
      throw new KnowledgeError(file, id, `is part of a cycle: ${[...path, id].join(", ")}`);
    if (acyclic.has(id)) return;
    for (const upstream of upstreamOf.get(id) ?? []) climb(upstream, [...path, id]);
    acyclic.add(id);
  }
}

/** A whole unit goes with its principal part, or else at a life of its own. */
function checkWholeUnits({ appliances }: CheckedFiles): void {
  for (const { type_id, replaced_as_whole, unit_life_years, components } of appliances) {
    const file = `appliances/${type_id}.json`;
    const principals = components.filter(({ replaced }) => replaced === "with_appliance").length;
    if (!replaced_as_whole && unit_life_years !== null)
      throw new KnowledgeError(file, "unit_life_years", "is for a type that is replaced as a whole");
    if (replaced_as_whole && principals !== (unit_life_years === null ? 1 : 0))
      throw new KnowledgeError(
        file,
        "replaced_as_whole",
        "needs either one component that is replaced with_appliance, or unit_life_years",
      );
  }
}

function checkLossClasses({ lossClasses }: CheckedFiles): void {
  const listed = lossClasses.classes.map((lossClass) => lossClass.system);
  for (const system of SYSTEMS)
    if (listed.filter((name) => name === system).length !== 1)
      throw new KnowledgeError("loss-classes.json", system, "must be listed once");
}

/** Every state with a climate lies in one division. */
function checkDivisions({ censusDivisions, states }: CheckedFiles): void {
  const listed = censusDivisions.divisions.flatMap((division) => division.states);
  for (const { state } of states.states)
    if (listed.filter((name) => name === state).length !== 1)
      throw new KnowledgeError("census-divisions.json", state, "must be listed once");
}

function checkEras({ eras }: CheckedFiles, components: ReadonlySet<string>): void {
  const file = "eras.json";
  const ids = new Set<string>();
  for (const [i, era] of eras.eras.entries()) {
    addNew(ids, era.id, file, `eras[${i}]`);
    expectComponents(components, era.component_ids, file, era.id);
    if (era.from_year !== null && era.to_year !== null && era.from_year > era.to_year)
      throw new KnowledgeError(file, era.id, `from_year ${era.from_year} is after to_year ${era.to_year}`);
  }
}

function checkHazards({ hazards }: CheckedFiles, { types, components }: Ids): void {
  const file = "hazards.json";
  const codes = new Set<string>();
  for (const [i, { code }] of hazards.hazards.entries()) addNew(codes, code, file, `hazards[${i}]`);
  for (const { code, type_ids, component_ids, excluded_by, era, action_suspected } of hazards.hazards) {
    for (const id of type_ids) expectKnown(types, id, file, code, "appliance type");
    expectComponents(components, component_ids, file, code);
    for (const other of excluded_by) expectKnown(codes, other, file, code, "hazard");
    if (era && (era.from_year ?? 0) > (era.to_year ?? Number.POSITIVE_INFINITY))
      throw new KnowledgeError(file, code, `from_year ${era.from_year} is after to_year ${era.to_year}`);
    if (action_suspected === "immediate_hazard")
      throw new KnowledgeError(file, code, "what years alone suggest cannot be an immediate hazard");
  }
}

function checkClaimTypes({ claimTypes, appliances }: CheckedFiles, components: ReadonlySet<string>): void {
  const file = "claim-types.json";
  const ids = new Set<string>();
  for (const [i, claim] of claimTypes.claim_types.entries()) {
    addNew(ids, claim.id, file, `claim_types[${i}]`);
    expectComponents(components, claim.component_ids, file, claim.id);
    const affected = appliances.filter((type) =>
      type.components.some(({ id }) => claim.component_ids.includes(id)),
    );
    const missing = affected.find(({ system }) => !claim.systems.includes(system));
    if (missing)
      throw new KnowledgeError(file, claim.id, `affects ${missing.type_id} but not ${missing.system}`);
  }
}

function checkRegimes({ regimes }: CheckedFiles, { types, components }: Ids): void {
  const file = "inspection-regimes.json";
  const rows = new Set<string>();
  for (const [i, regime] of regimes.regimes.entries()) {
    const entry = `regimes[${i}]`;
    expectKnown(types, regime.type_id, file, entry, "appliance type");
    addNew(rows, `${regime.type_id} ${regime.inspection_type}`, file, entry);
    expectComponents(components, regime.component_ids ?? [], file, entry);
    if ((regime.interval_months === null) !== (regime.reset_by.length === 0))
      throw new KnowledgeError(file, entry, "interval_months and reset_by must be set together");
  }
  const known = new Set(regimes.regimes.map(({ inspection_type }) => inspection_type));
  const phrases = new Set<string>();
  for (const [i, word] of regimes.notes.words.entries()) {
    const entry = `notes.words[${i}]`;
    for (const phrase of word.phrases) addNew(phrases, phrase, file, entry);
    for (const id of word.inspection_types) expectKnown(known, id, file, entry, "inspection type");
  }
}

function checkKeywords({ keywords }: CheckedFiles, components: ReadonlySet<string>): void {
  const file = "keywords.json";
  const ids = new Set<string>();
  const texts = new Set<string>();
  for (const group of keywords.groups) {
    addNew(ids, group.id, file, group.id);
    for (const text of [...group.words, ...group.phrases]) addNew(texts, text, file, group.id);
    if (group.direction === "up" ? group.ratio <= 1 : group.ratio >= 1)
      throw new KnowledgeError(file, group.id, `a ratio of ${group.ratio} does not point ${group.direction}`);
    if (group.component_ids !== "all") expectComponents(components, group.component_ids, file, group.id);
  }
}

function checkSmartEvents({ smartEvents }: CheckedFiles, components: ReadonlySet<string>): void {
  const file = "smart-events.json";
  const ids = new Set<string>();
  for (const event of smartEvents.event_types) {
    addNew(ids, event.event_type, file, event.event_type);
    if (!("ratios" in event)) continue;
    const { low, medium, high, critical } = event.ratios;
    if (low < 1 || medium < low || high < medium || critical < high)
      throw new KnowledgeError(
        file,
        event.event_type,
        "ratios must start at 1 or more and rise with severity",
      );
    expectComponents(components, event.component_ids, file, event.event_type);
  }
}

function checkStates({ states }: CheckedFiles): void {
  const file = "states.json";
  const codes = new Set<string>();
  for (const { state, values } of states.states) {
    addNew(codes, state, file, state);
    if (values.length !== states.factors.length)
      throw new KnowledgeError(
        file,
        state,
        `has ${values.length} values for ${states.factors.length} factors`,
      );
  }
  for (const territory of states.territories_without_values) addNew(codes, territory, file, territory);
}

function addNew(ids: Set<string>, id: string, file: string, entry: string): void {
  if (ids.has(id)) throw new KnowledgeError(file, entry, `${id} is listed twice`);
  ids.add(id);
}

function expectKnown(ids: ReadonlySet<string>, id: string, file: string, entry: string, what: string): void {
  if (!ids.has(id)) throw new KnowledgeError(file, entry, `unknown ${what} ${id}`);
}

function expectComponents(
  ids: ReadonlySet<string>,
  named: readonly string[],
  file: string,
  entry: string,
): void {
  for (const id of named) expectKnown(ids, id, file, entry, "component");
}
