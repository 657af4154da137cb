import type { Appliance, ApplianceChange, ListedAppliance, NewAppliance } from "../domain/appliance.ts";
import type { Component, PlacedComponent } from "../domain/component.ts";
import type { PriceList } from "../domain/costs/price-list.ts";
import type { ApplianceType, Knowledge, SizeDefault } from "../domain/domain-knowledge.ts";
import { hazardCodesInList, hazardFlagsOfNotation } from "../domain/hazards/hazard-flags.ts";
import type { Action } from "../domain/planning/action.ts";
import { isRetired } from "../domain/rules/retirement-rule.ts";
import type { BrandTier, InstallYearBasis } from "../domain/scoring/scoring-types.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import { actionOrNullFields, serializeActionOrNull } from "./action-schema.ts";
import { bulkResultSchema } from "./bulk-schema.ts";
import { componentDefId, componentName } from "./component-name-schema.ts";
import { ownedComponent, serializeComponent } from "./component-schema.ts";
import * as constraint from "./definition/api-schema-constraints.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import {
  bodySchema,
  inputSchema,
  itemsFieldSchema,
  nullableSchema,
  optionalSchema,
  requiredSchema,
  schemaTextOrNull,
} from "./definition/input-schema.ts";
import {
  daySchema,
  enumSchema,
  flagSchema,
  idSchema,
  instantSchema,
  listSchema,
  numberSchema,
  objectSchema,
  recordSchema,
  textListSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import {
  flagsClearedText,
  flagsSetText,
  hazardFlags,
  hazardsOfType,
  parseStatedFlagsJson,
  partnerFlagFields,
  serializeHazardFlags,
} from "./hazard-flag-schema.ts";
import { pageSchema, schemaWithPartner, unscopedPageSchema } from "./paging-schema.ts";
import { property } from "./property-schema.ts";

/** An appliance's full record. */
export const appliance = recordSchema("Appliance", {
  id: idSchema("A", "The appliance's ID"),
  property_id: idSchema("P", "The property"),
  unit_id: idSchema("U", "The unit that the appliance serves; null if it serves the whole property").orNull(),
  type_id: textSchema("Appliance type; see GET /v1/appliance-types", "water_heater_gas"),
  brand: textSchema("Manufacturer", "Rheem").orNull(),
  model: textSchema("Manufacturer's model", "XG40T06").orNull(),
  serial: textSchema("Manufacturer's serial number", "M291904321").orNull(),
  brand_tier: enumSchema<BrandTier>(
    ["premium", "standard", "budget"],
    "Market tier of the brand, which affects the expected life",
    "standard",
  ),
  install_year: wholeNumberSchema("Year of installation", 2015),
  install_year_basis: enumSchema<InstallYearBasis>(
    ["given", "year_built"],
    "`given`: the partner's; `year_built`: the property's year, since no other is known",
    "given",
  ),
  usage_intensity: numberSchema("Usage intensity, from 0.5 (light) to 2.0 (heavy)", 1, {
    minimum: 0.5,
    maximum: 2,
  }),
  size: numberSchema(
    "Size in the unit of its type, which GET /v1/appliance-types names; null if unknown",
    50,
    {
      minimum: 0,
    },
  ).orNull(),
  warranty_expiry: daySchema("Last day of the warranty", "2027-06-30").orNull(),
  flags: hazardFlags,
  flags_set: flagsSetText,
  flags_cleared: flagsClearedText,
  retired_at: property.fields.retired_at,
  retired_reason: property.fields.retired_reason,
  is_retired: flagSchema("Whether it is retired now, by itself or with its property"),
  created_at: instantSchema("When the record was created"),
  updated_at: instantSchema("When the record was last updated"),
});
export type ApplianceJson = JsonOf<typeof appliance>;

export const serializeAppliance = appliance.serializer(
  (knowledge: Knowledge, appliance: ListedAppliance) => ({
    id: appliance.id,
    property_id: appliance.propertyId,
    unit_id: appliance.unitId,
    type_id: appliance.typeId,
    brand: appliance.brand,
    model: appliance.model,
    serial: appliance.serial,
    brand_tier: appliance.brandTier,
    install_year: appliance.installYear,
    install_year_basis: appliance.installYearBasis,
    usage_intensity: appliance.usageIntensity,
    size: appliance.size,
    warranty_expiry: appliance.warrantyExpiry,
    flags: serializeHazardFlags(knowledge, hazardFlagsOfNotation(appliance.flags)),
    flags_set: hazardCodesInList(appliance.flagsSet),
    flags_cleared: hazardCodesInList(appliance.flagsCleared),
    retired_at: appliance.retiredAt,
    retired_reason: appliance.retiredReason,
    is_retired: isRetired(appliance),
    created_at: isoTextOfInstant(appliance.createdAt),
    updated_at: isoTextOfInstant(appliance.updatedAt),
  }),
);
export const appliancePage = pageSchema("appliances", appliance);

/** The appliance with the full records of its components, and what to do with it and each of them. */
const actionOfWhole = {
  action: actionOrNullFields.action.describedAs(
    "What to do with the appliance as a whole. Null for a retired one, and for a type whose parts are replaced one by one unless one of them is a hazard to remove at once",
  ),
  reason: actionOrNullFields.reason,
};
const wholeAppliance = appliance.and({
  ...actionOfWhole,
  components: listSchema("The appliance's components", ownedComponent),
});
export type ApplianceWithComponentsJson = JsonOf<typeof wholeAppliance>;

/** The actions for an appliance and its components, by their ids. */
type ApplianceActions = { appliances: ReadonlyMap<string, Action>; components: ReadonlyMap<string, Action> };

/** `latestSnapshotAt`: when the latest snapshot was taken. */
export const serializeApplianceWithComponents = wholeAppliance.serializer(
  (
    prices: PriceList,
    appliance: Appliance,
    components: readonly PlacedComponent[],
    actions: ApplianceActions,
    latestSnapshotAt: Instant | null,
  ) => ({
    ...serializeAppliance(prices.knowledge, appliance),
    ...serializeActionOrNull(actions.appliances.get(appliance.id)),
    components: components.map((row) => ({
      ...serializeComponent(prices, row, latestSnapshotAt),
      ...serializeActionOrNull(actions.components.get(row.id)),
    })),
  }),
);
export const applianceReply = schemaWithPartner(wholeAppliance);

type ChangedAppliance = {
  appliance: Appliance;
  components: readonly Component[];
  warnings: readonly string[];
};

/** The short form of a component in the response to a write. */
const componentStub = recordSchema("ComponentStub", {
  id: idSchema("C", "The component's ID"),
  component_def_id: componentDefId,
  component_name: componentName,
});
const stubs = listSchema("The appliance's components", componentStub);

/** The response to a write of an appliance. */
const writtenAppliance = appliance.and({
  components: stubs,
  warnings: textListSchema("Stored values that are probably errors", [
    "install_year 1950 is before year_built 1987 of the property",
  ]),
});

export const serializeWrittenAppliance = writtenAppliance.serializer(
  (
    knowledge: Knowledge,
    appliance: Appliance,
    components: readonly Component[],
    warnings: readonly string[],
  ) => ({
    ...serializeAppliance(knowledge, appliance),
    warnings,
    components: components.map(({ id, defId }) => ({
      id,
      component_def_id: defId,
      component_name: knowledge.component(defId).name,
    })),
  }),
);

/** The response to a change, which says what to do with the appliance and each of its components now. */
const changedAppliance = writtenAppliance.and({
  ...actionOfWhole,
  components: listSchema("The appliance's components", componentStub.and(actionOrNullFields)),
});
export const serializeChangedAppliance = changedAppliance.serializer(
  (
    knowledge: Knowledge,
    { appliance, components, warnings }: ChangedAppliance,
    actions: ApplianceActions,
  ) => {
    const written = serializeWrittenAppliance(knowledge, appliance, components, warnings);
    return {
      ...written,
      ...serializeActionOrNull(actions.appliances.get(appliance.id)),
      components: written.components.map((component) => ({
        ...component,
        ...serializeActionOrNull(actions.components.get(component.id)),
      })),
    };
  },
);
export const changedApplianceReply = schemaWithPartner(changedAppliance);

const createdAppliance = writtenAppliance.and({
  components_created: wholeNumberSchema("Components created from the appliance's type", 6),
});

export const serializeCreatedAppliance = createdAppliance.serializer(
  (
    knowledge: Knowledge,
    appliance: Appliance,
    components: readonly Component[],
    warnings: readonly string[],
  ) => ({
    ...serializeWrittenAppliance(knowledge, appliance, components, warnings),
    components_created: components.length,
  }),
);
export const createdApplianceReply = schemaWithPartner(createdAppliance);

export const appliancesBulkReply = bulkResultSchema("The created appliances", writtenAppliance);

const applianceType = objectSchema({
  type_id: appliance.fields.type_id.describedAs("The type's ID, used in `type_id` of appliances"),
  name: textSchema("Display name", "Water heater, gas"),
  system: textSchema("Building system", "plumbing"),
  size: objectSchema({
    unit: textSchema("Unit of `size` of appliances of this type", "gallons"),
    reference: numberSchema("Size that the costs of the knowledge base are for", 45),
    exponent: numberSchema("Exponent e of the costs: they grow with (size ÷ reference)^e", 0.6),
    defaults_to: enumSchema<SizeDefault>(
      ["footprint", "gross_area", "unit_count"],
      "The property's own size, which stands in for one that is missing: `gross_area_sqft`, that by story, or `unit_count`",
      "gross_area",
    ).orNull(),
  })
    .describedAs("How costs follow the size; null for a type whose costs do not")
    .orNull(),
  components: listSchema(
    "The components of an appliance of this type",
    objectSchema({ component_def_id: componentDefId, component_name: componentName }),
  ),
  hazards: hazardsOfType,
  inspections: listSchema(
    "The inspections that an appliance of this type needs; local law decides",
    objectSchema({
      inspection_type: textSchema("The inspection or test", "sprinkler_annual_inspection"),
      authority: textSchema("The code or authority that requires the inspection", "NFPA 25"),
      mandatory: flagSchema("Whether the code makes it mandatory; local law may differ"),
      interval_months: wholeNumberSchema("Months between two inspections", 12),
    }),
  ),
});
export type ApplianceTypeJson = JsonOf<typeof applianceType>;

export const serializeApplianceType = applianceType.serializer(
  (knowledge: Knowledge, type: ApplianceType) => ({
    type_id: type.id,
    name: type.name,
    system: type.system,
    size: type.size && {
      unit: type.size.unit,
      reference: type.size.reference,
      exponent: type.size.exponent,
      defaults_to: type.size.defaultsTo,
    },
    components: type.components.map(({ id, name }) => ({ component_def_id: id, component_name: name })),
    hazards: knowledge.hazardsOf(type.id).map(({ code, label }) => ({ code, label })),
    inspections: knowledge.regimes(type.id).map((regime) => ({
      inspection_type: regime.inspectionType,
      authority: regime.authority,
      mandatory: regime.mandatory,
      interval_months: regime.intervalMonths,
    })),
  }),
);
export const applianceTypePage = pageSchema("appliance_types", applianceType);
export const anyApplianceTypePage = unscopedPageSchema("appliance_types", applianceType);

const out = appliance.fields;
const optionalFields = {
  install_year: nullableSchema(
    constraint.year,
    out.install_year.describedAs("Year of installation; left out or null, the property's `year_built`"),
  ),
  unit_id: nullableSchema(constraint.idText, out.unit_id),
  brand: nullableSchema(constraint.line, out.brand),
  model: nullableSchema(constraint.line, out.model),
  serial: nullableSchema(constraint.line, out.serial),
  brand_tier: nullableSchema(constraint.brandTier, out.brand_tier),
  usage_intensity: nullableSchema(constraint.usageIntensity, out.usage_intensity),
  size: nullableSchema(constraint.size, out.size),
  warranty_expiry: nullableSchema(constraint.day, out.warranty_expiry),
  ...partnerFlagFields,
} as const;

/** `install_year` is among the names that the error for a missing field lists, as the specification has it. */
export const newAppliance = inputSchema(
  "NewAppliance",
  {
    property_id: requiredSchema(constraint.idText, out.property_id),
    type_id: requiredSchema(constraint.requiredLine, out.type_id),
    ...optionalFields,
  },
  ["property_id", "type_id", "install_year"],
);

export const applianceChange = inputSchema("ApplianceChange", {
  type_id: optionalSchema(constraint.idText, out.type_id),
  property_id: optionalSchema(constraint.idText, out.property_id),
  ...optionalFields,
  retired_at: nullableSchema(constraint.day, out.retired_at),
  retired_reason: nullableSchema(constraint.line, out.retired_reason),
});

export const newAppliances = bodySchema({
  appliances: itemsFieldSchema("The appliances to create", newAppliance),
});

/** Reads a new appliance from a request. Throws invalid_request. */
export function parseNewApplianceJson(given: unknown): NewAppliance {
  const json = newAppliance.parse(given);
  return {
    propertyId: json.property_id.trim(),
    typeId: json.type_id.trim(),
    installYear: json.install_year ?? null,
    unitId: schemaTextOrNull(json.unit_id),
    brand: schemaTextOrNull(json.brand),
    model: schemaTextOrNull(json.model),
    serial: schemaTextOrNull(json.serial),
    brandTier: json.brand_tier ?? null,
    usageIntensity: json.usage_intensity ?? null,
    size: json.size ?? null,
    warrantyExpiry: json.warranty_expiry ?? null,
    flagsSet: parseStatedFlagsJson(json.flags_set ?? null),
    flagsCleared: parseStatedFlagsJson(json.flags_cleared ?? null),
  };
}

/** Reads a change, which has only the fields of the request. Throws invalid_request. */
export function parseApplianceChangeJson(given: unknown): ApplianceChange {
  const json = applianceChange.parse(given);
  const change: ApplianceChange = {};
  if (json.type_id !== undefined) change.typeId = json.type_id.trim();
  if (json.property_id !== undefined) change.propertyId = json.property_id.trim();
  if (json.install_year !== undefined) change.installYear = json.install_year;
  if (json.unit_id !== undefined) change.unitId = schemaTextOrNull(json.unit_id);
  if (json.brand !== undefined) change.brand = schemaTextOrNull(json.brand);
  if (json.model !== undefined) change.model = schemaTextOrNull(json.model);
  if (json.serial !== undefined) change.serial = schemaTextOrNull(json.serial);
  if (json.brand_tier !== undefined) change.brandTier = json.brand_tier;
  if (json.usage_intensity !== undefined) change.usageIntensity = json.usage_intensity;
  if (json.size !== undefined) change.size = json.size;
  if (json.retired_at !== undefined) change.retiredAt = json.retired_at;
  if (json.retired_reason !== undefined) change.retiredReason = schemaTextOrNull(json.retired_reason);
  if (json.warranty_expiry !== undefined) change.warrantyExpiry = json.warranty_expiry;
  if (json.flags_set !== undefined) change.flagsSet = parseStatedFlagsJson(json.flags_set);
  if (json.flags_cleared !== undefined) change.flagsCleared = parseStatedFlagsJson(json.flags_cleared);
  return change;
}
