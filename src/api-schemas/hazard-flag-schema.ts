import type { PlacedComponent } from "../domain/component.ts";
import type { Knowledge } from "../domain/domain-knowledge.ts";
import { HAZARD_ACTIONS, type HazardAction } from "../domain/hazards/hazard-definition.ts";
import {
  FLAG_BASES,
  type FlagBasis,
  type HazardFlag,
  hazardCodeList,
  hazardFlagAction,
  hazardFlagLabel,
  hazardFlagsOfNotation,
} from "../domain/hazards/hazard-flags.ts";
import { applianceTypeId } from "./component-name-schema.ts";
import { defineSchemaConstraint } from "./definition/api-schema-field-constraint.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { documentedSchema, nullableSchema } from "./definition/input-schema.ts";
import {
  enumSchema,
  idSchema,
  listSchema,
  objectSchema,
  recordSchema,
  textListSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";

const code = textSchema("Code of the hazard", "federal_pacific");
const label = textSchema(
  "The hazard in words; of a suspicion, that it is one",
  "Federal Pacific Stab-Lok panel",
);
const authority = textSchema(
  "The authority, and what it requires",
  "Fannie Mae Form 4099.G: replace as an immediate repair",
);
const action = enumSchema<HazardAction>(
  HAZARD_ACTIONS,
  "`immediate_hazard`: the authority requires replacement at once; `inspect`: have it examined; `monitor`: plan for it",
  "immediate_hazard",
);

/** A known hazard that an appliance is or contains. */
const hazardFlag = recordSchema("HazardFlag", {
  code,
  basis: enumSchema<FlagBasis>(
    FLAG_BASES,
    "`stated`: set by the partner; `brand`: named by brand or model; `notes`: named in notes of service events; `era`: suspected by the years alone",
    "brand",
  ),
  label,
  authority,
  action,
});
type HazardFlagJson = JsonOf<typeof hazardFlag>;

const serializeHazardFlag = hazardFlag.serializer((knowledge: Knowledge, flag: HazardFlag) => ({
  code: flag.code,
  basis: flag.basis,
  label: hazardFlagLabel(knowledge, flag),
  authority: knowledge.knownHazard(flag.code).authority,
  action: hazardFlagAction(knowledge, flag),
}));

/** Known hazards of an appliance, which stand beside its probability of failure and change no score. */
export const hazardFlags = listSchema(
  "Known hazards that the appliance is or contains, whatever its scores",
  hazardFlag,
);
export const serializeHazardFlags = (knowledge: Knowledge, flags: readonly HazardFlag[]): HazardFlagJson[] =>
  flags.map((flag) => serializeHazardFlag(knowledge, flag));

export const hazardsOfType = listSchema(
  "The known hazards that an appliance of this type can be flagged with",
  objectSchema({ code, label: label.describedAs("The hazard in words") }),
);

/** A flag with its appliance, as reports list it. */
const flaggedAppliance = recordSchema("FlaggedAppliance", {
  appliance_id: idSchema("A", "The appliance"),
  appliance_type: applianceTypeId,
  unit: idSchema("U", "The unit that the appliance serves").orNull(),
  ...hazardFlag.fields,
});
type FlaggedApplianceJson = JsonOf<typeof flaggedAppliance>;

export const flaggedAppliances = listSchema(
  "Appliances with known hazards, whatever their scores: first those that require action at once",
  flaggedAppliance,
);

/** The approximate size of a flag in memory. */
const FLAG_BYTES = 600;

/** Gathers the flags of the appliances of components. */
export class HazardFlagJsonGatherer {
  readonly #seen = new Set<string>();
  readonly #flags: FlaggedApplianceJson[] = [];

  constructor(private readonly knowledge: Knowledge) {}

  /** Returns the approximate number of bytes that it stores of the component's appliance. */
  add({ applianceId, typeId, unitId, flags }: FlaggedComponent): number {
    if (flags === "" || this.#seen.has(applianceId)) return 0;
    this.#seen.add(applianceId);
    const views = serializeHazardFlags(this.knowledge, hazardFlagsOfNotation(flags));
    for (const view of views)
      this.#flags.push({ appliance_id: applianceId, appliance_type: typeId, unit: unitId, ...view });
    return views.length * FLAG_BYTES;
  }

  /** Returns the flags by urgency, and of equal ones the oldest appliance's first. */
  list(): FlaggedApplianceJson[] {
    return HAZARD_ACTIONS.flatMap((urgency) => this.#flags.filter(({ action }) => action === urgency));
  }
}

type FlaggedComponent = Pick<PlacedComponent, "applianceId" | "typeId" | "unitId" | "flags">;

/** The number of appliances with a flag. */
const flagCount = recordSchema("FlagCount", {
  code,
  label: label.describedAs("The hazard in words"),
  appliances: wholeNumberSchema("Appliances that are known to be or contain it", 3),
  suspected: wholeNumberSchema("Appliances of which only the years suggest it", 1),
  authority,
  action,
});
export const flagCounts = listSchema("Appliances with known hazards, by hazard", flagCount);

/** Appliances by the code of a hazard. */
export type CountOfCode = { code: string; known: number; suspected: number };
const serializeFlagCount = flagCount.serializer((knowledge: Knowledge, count: CountOfCode) => {
  const hazard = knowledge.knownHazard(count.code);
  return {
    code: count.code,
    label: hazard.label,
    appliances: count.known,
    suspected: count.suspected,
    authority: hazard.authority,
    action: count.known > 0 ? hazard.action : hazard.actionSuspected,
  };
});

/** Returns the counts in the order of the knowledge base. */
export function serializeHazardFlagCounts(knowledge: Knowledge, counts: readonly CountOfCode[]) {
  const byCode = new Map(counts.map((count) => [count.code, count]));
  return [...knowledge.knownHazards.keys()].flatMap((known) => {
    const count = byCode.get(known);
    return count && count.known + count.suspected > 0 ? serializeFlagCount(knowledge, count) : [];
  });
}

/** The numbers of flags of a property, for a table. */
export const flagTotals = {
  hazard_flags: wholeNumberSchema("Known hazards of the property's appliances, suspicions not counted", 2),
  suspected_hazards: wholeNumberSchema("Hazards that only the years of its appliances suggest", 1),
};

export const serializeFlagTotals = objectSchema(flagTotals).serializer((counts: readonly CountOfCode[]) => ({
  hazard_flags: counts.reduce((sum, { known }) => sum + known, 0),
  suspected_hazards: counts.reduce((sum, { suspected }) => sum + suspected, 0),
}));

const MAX_CODES = 20;
const SEPARATOR = /[\s,;]+/;
const readCodes = (given: string | readonly string[]): string[] =>
  (typeof given === "string" ? given.split(SEPARATOR) : given.map((code) => code.trim())).filter(Boolean);

/** Codes as a list, or as text with separators, as a cell of a CSV file has them. */
const codes = defineSchemaConstraint((type) =>
  type("string <= 2000")
    .or("string[] <= 1000")
    .narrow((given: string | string[]) => {
      const all = readCodes(given);
      return all.length <= MAX_CODES && all.every((code) => /^[a-z0-9_]{1,40}$/.test(code));
    })
    .describe(`a list of at most ${MAX_CODES} codes such as federal_pacific`),
);

export const flagsSetText = textListSchema(
  "Codes of known hazards that the partner has found; null or an empty list for none",
  ["polybutylene"],
);
export const flagsClearedText = textListSchema(
  "Codes of known hazards that the partner has ruled out, whatever brand, notes or years say",
  ["unidentified_panel"],
);

/** The request fields that set and clear flags. */
export const partnerFlagFields = {
  flags_set: documentedSchema(nullableSchema(codes, flagsSetText), flagsSetText),
  flags_cleared: documentedSchema(nullableSchema(codes, flagsClearedText), flagsClearedText),
} as const;

/** Returns given codes as they are stored. */
export const parseStatedFlagsJson = (given: string | readonly string[] | null): string =>
  given === null ? "" : hazardCodeList(readCodes(given));
