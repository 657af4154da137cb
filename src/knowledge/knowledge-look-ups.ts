import {
  type BrandFamily,
  ENVIRONMENT_FACTORS,
  type Era,
  type Hazard,
  type Knowledge,
  type KnowledgeData,
  type PlaceEnvironment,
} from "../domain/domain-knowledge.ts";
import { BUILDING_CENTS_PER_SQFT } from "../domain/figures/facility-condition.ts";
import type { HazardDef } from "../domain/hazards/hazard-definition.ts";
import type { BrandTier } from "../domain/scoring/scoring-types.ts";

const NONE: readonly never[] = [];
const NO_COMPONENTS: ReadonlySet<string> = new Set();
const NO_CODES: ReadonlySet<string> = new Set();

/** Returns look-ups over validated facts. */
export function createKnowledge(data: KnowledgeData): Knowledge {
  const types = new Map(data.types.map((type) => [type.id, type]));
  const components = new Map(data.types.flatMap((type) => type.components.map((def) => [def.id, def])));
  const smartEvents = new Map(data.smartEvents.map((event) => [event.eventType, event]));
  const claimTypes = new Map(data.claimTypes.map((claim) => [claim.id, claim]));
  const cascades = Map.groupBy(data.cascades, (rule) => rule.downstream);
  const upstream = new Set(data.cascades.map((rule) => rule.upstream));
  const eras = new Map<string, Era[]>();
  for (const era of data.eras) for (const defId of era.componentIds) append(eras, defId, era);
  const regimes = Map.groupBy(data.regimes, (regime) => regime.typeId);
  const groups = new Map(data.keywords.groups.map((group) => [group.id, group]));
  const brands = brandTable(data.brandFamilies);
  const unstated = new Set(data.unstatedBrands.map((text) => nameWords(text).join(" ")));
  const hazards = hazardTable(data.hazards);
  const knownHazards = new Map(data.knownHazards.map((hazard) => [hazard.code, hazard]));
  const hazardsOf = new Map<string, HazardDef[]>();
  for (const hazard of data.knownHazards)
    for (const typeId of hazard.typeIds) append(hazardsOf, typeId, hazard);
  const suspectBrands = new Map(
    data.knownHazards.map(({ code, suspectBrands }) => [code, suspectBrands.map(phrase)]),
  );
  const hazardNames = data.knownHazards.map(({ names, ...hazard }) => ({
    ...hazard,
    phrases: names.map(phrase),
  }));
  const unknown = uniformEnvironment(data.model.environment.unknownValue);
  return {
    modelVersion: data.model.version,
    model: data.model,
    keywords: data.keywords,
    inspectionWords: data.inspectionWords,
    hazardWords: data.hazardWords,
    knownHazards,
    types,
    components,
    claimTypes,
    smartEvents,
    sources: new Map(data.sources.map((source) => [source.token, source])),
    costs: data.costs,
    priceTerms: { locationFactors: data.costs.locationFactors, priceLevel: 1 },
    buildingCentsPerSqft: BUILDING_CENTS_PER_SQFT,
    provenance: data.provenance,
    cascades: data.cascades,
    cascadesAcross: new Set(data.cascades.filter((rule) => rule.acrossTypes).map((r) => r.upstream)),
    cascadingTypes: new Set(data.cascades.filter((rule) => rule.acrossTypes).map((r) => r.upstreamTypeId)),
    findType: (id) => types.get(id),
    type: (id) => known(types, id, "appliance type"),
    component: (defId) => known(components, defId, "component"),
    brandTier: (typeId, brand) => (brand === null ? undefined : findTier(brands.get(typeId), brand)),
    statesBrand(brand) {
      if (brand === null) return false;
      const words = nameWords(brand);
      return words.length > 0 && !unstated.has(words.join(" "));
    },
    isSuspectBrand(code, brand) {
      const words = phrase(brand ?? "");
      return suspectBrands.get(code)!.some((name) => words.includes(name));
    },
    hazard: (typeId, brand, model) => findHazard(hazards.get(typeId), `${brand ?? ""} ${model ?? ""}`),
    knownHazard: (code) => known(knownHazards, code, "known hazard"),
    hazardsOf: (typeId) => hazardsOf.get(typeId) ?? NONE,
    namedHazards(typeId, brand, model) {
      if (brand === null && model === null) return NO_CODES;
      const words = phrase(`${brand ?? ""} ${model ?? ""}`);
      const named = hazardNames.filter(
        ({ typeIds, phrases }) => typeIds.includes(typeId) && phrases.some((name) => words.includes(name)),
      );
      return named.length === 0 ? NO_CODES : new Set(named.map(({ code }) => code));
    },
    isUpstream: (defId) => upstream.has(defId),
    cascadesTo: (defId) => cascades.get(defId) ?? NONE,
    keywordGroup: (id) => known(groups, id, "word group"),
    claimType: (id) => claimTypes.get(id),
    lossModelError: data.lossModelError,
    division: (state) => data.divisions.get(state) ?? "unknown",
    lossClass: (system) => known(data.lossClasses, system, "loss class"),
    erasOf: (defId) => eras.get(defId) ?? NONE,
    smartEvent: (eventType) => smartEvents.get(eventType),
    regimes: (typeId) => regimes.get(typeId) ?? NONE,
    knowsClimate: (state) => state !== null && data.environments.has(state),
    environment: (state) => (state === null ? unknown : (data.environments.get(state) ?? unknown)),
  };
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function known<T>(entries: ReadonlyMap<string, T>, id: string, what: string): T {
  const entry = entries.get(id);
  if (entry === undefined) throw new Error(`The knowledge base has no ${what} ${id}`);
  return entry;
}

type BrandTable = ReadonlyMap<string, ReadonlyMap<string, BrandTier>>;

/** Returns the tiers by type and by brand name without spaces. */
function brandTable(families: readonly BrandFamily[]): BrandTable {
  const table = new Map<string, Map<string, BrandTier>>();
  for (const family of families) {
    const names = new Map<string, BrandTier>();
    for (const tier of ["premium", "standard", "budget"] as const)
      for (const name of family.tiers[tier]) names.set(nameWords(name).join(""), tier);
    for (const typeId of family.typeIds) table.set(typeId, names);
  }
  return table;
}

/** Returns the tier of the longest known name that the brand begins with: "GE Profile" is GE, "AO Smith" A. O. Smith. */
function findTier(names: ReadonlyMap<string, BrandTier> | undefined, brand: string): BrandTier | undefined {
  if (!names) return undefined;
  const words = nameWords(brand);
  for (let count = words.length; count > 0; count--) {
    const tier = names.get(words.slice(0, count).join(""));
    if (tier) return tier;
  }
  return undefined;
}

type NamedHazard = { phrases: readonly string[]; componentIds: ReadonlySet<string> };

/** Returns the hazards by type, with their names as `phrase` formats them. */
function hazardTable(hazards: readonly Hazard[]): ReadonlyMap<string, readonly NamedHazard[]> {
  const table = new Map<string, NamedHazard[]>();
  for (const { names, typeIds, componentIds } of hazards)
    for (const typeId of typeIds)
      table.set(typeId, [...(table.get(typeId) ?? []), { phrases: names.map(phrase), componentIds }]);
  return table;
}

function findHazard(hazards: readonly NamedHazard[] | undefined, text: string): ReadonlySet<string> {
  if (!hazards) return NO_COMPONENTS;
  const words = phrase(text);
  const named = hazards.find(({ phrases }) => phrases.some((name) => words.includes(name)));
  return named?.componentIds ?? NO_COMPONENTS;
}

/** Returns a name's words between spaces, so that a search within a text matches whole words only. */
const phrase = (name: string) => ` ${nameWords(name).join(" ")} `;

/** Returns a name's words in lower case, without accents and punctuation. */
function nameWords(name: string): string[] {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("&", " and ");
  return plain.match(/[a-z0-9]+/g) ?? [];
}

function uniformEnvironment(value: number): PlaceEnvironment {
  return Object.fromEntries(ENVIRONMENT_FACTORS.map((factor) => [factor, value])) as PlaceEnvironment;
}
