import type { Appliance } from "../domain/appliance.ts";
import type { PlacedComponent } from "../domain/component.ts";
import type { Knowledge } from "../domain/domain-knowledge.ts";
import type { ComplianceItem } from "../domain/figures/inspection-compliance.ts";
import { countryOf, subdivisionOf } from "../domain/places/place.ts";
import type { Property } from "../domain/property.ts";
import type { Day } from "../domain/time.ts";
import { item as inspection, serializeComplianceItem } from "./compliance-schema.ts";
import { componentName } from "./component-name-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import {
  jsonScoreFromHundredths,
  jsonUsdFromCents,
  roundJsonNumber,
} from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  idSchema,
  listSchema,
  numberSchema,
  objectSchema,
  recordSchema,
  usdSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { type CountOfCode, flagCounts, serializeHazardFlagCounts } from "./hazard-flag-schema.ts";
import { type LossesJson, losses } from "./losses-schema.ts";
import { schemaWithPartner } from "./paging-schema.ts";
import { property } from "./property-schema.ts";
import { riskScore } from "./score-schema.ts";

/* The answers to an underwriter's questions about one property, on one page. */

const { address, city, country, state, unit_count, unit_label, year_built } = property.fields;

const loss = recordSchema("LossControlItem", {
  component_id: idSchema("C", "The component"),
  component_name: componentName,
  risk_score: riskScore,
  planned_cost: usdSchema("Planned replacement cost", 1500),
  damage_saved: usdSchema("Expected damage of the coming year that replacing it now saves", 420.5),
});

const percentile = (description: string) =>
  numberSchema(description, 0.82, { minimum: 0, maximum: 1 }).orNull();

const underwriting = objectSchema({
  property: objectSchema({
    id: property.fields.id,
    name: property.fields.name,
    address,
    city,
    country,
    state,
    unit_count,
    unit_label,
    year_built,
  }).describedAs("The property"),
  losses: losses.describedAs("The property's losses of the coming year"),
  hazards: flagCounts,
  overdue_inspections: listSchema(
    "Mandatory inspections past their due date, the earliest first",
    inspection,
  ),
  claims: objectSchema({
    since: daySchema("Start of the five years that are counted", "2021-11-25"),
    count: wholeNumberSchema("Claims with a date of loss in those years, without denied and voided ones", 3),
    incurred: usdSchema(
      "What they incurred: paid and outstanding; the amount of a claim without either",
      48_200,
    ),
    per_year: numberSchema("Claims a year on record", 0.6),
    expected_damages_per_year: numberSchema("Damages a year that the model expects now", 0.8),
  }).describedAs("Claims on record, beside the damages that the model expects"),
  loss_control: objectSchema({
    components: wholeNumberSchema("CRITICAL and WARNING components whose failure may do damage", 6),
    planned_cost: usdSchema(
      "Cost of replacing them all now; those of a unit that is replaced as a whole cost what the unit does at most",
      14_200,
    ),
    damage_saved: usdSchema("Expected damage of the coming year that this saves", 3120),
    saved_per_dollar: numberSchema(
      "Expected damage saved per dollar of planned work; null without any",
      0.219718,
    ).orNull(),
    best: listSchema("The five that save the most per dollar", loss),
  }).describedAs("What planned work would save"),
  standing: objectSchema({
    as_of: daySchema(
      "Day of the snapshot that was compared; null for a property that is newer or retired, or that had no components then",
      "2026-11-25",
    ).orNull(),
    properties: wholeNumberSchema(
      "Properties that were compared, demo properties aside; 0 before the first comparison",
      120,
    ),
    expected_per_unit: percentile(
      "Share of the others with a lower expected loss per unit; null if there are none, or before the first comparison",
    ),
    damage_per_unit: percentile("Share of the others with a lower expected damage per unit"),
  }).describedAs("How the property stands among the portfolio or the book, by the scores of a snapshot"),
});
export const underwritingReply = schemaWithPartner(underwriting);
export type UnderwritingJson = JsonOf<typeof underwriting>;

const rounded = (share: number | null | undefined) => (share == null ? null : roundJsonNumber(share, 4));

/** The contents of an underwriting page; amounts in cents. */
type Underwriting = {
  property: Property;
  losses: LossesJson;
  flags: readonly CountOfCode[];
  overdue: readonly ComplianceItem<Appliance>[];
  claims: { since: string; count: number; incurredCents: number; years: number };
  expectedDamages: number;
  control: {
    components: number;
    plannedCents: number;
    savedCents: number;
    best: readonly { component: PlacedComponent; plannedCents: number; savedCents: number }[];
  };
  /** Null before its first comparison. */
  standing: { day: Day; properties: number; expected: number | null; damage: number | null } | null;
};

export const serializeUnderwriting = underwriting.serializer((knowledge: Knowledge, made: Underwriting) => {
  const { property, claims, control, standing } = made;
  return {
    property: {
      id: property.id,
      name: property.name,
      address: property.address,
      city: property.city,
      country: countryOf(property.state),
      state: subdivisionOf(property.state),
      unit_count: property.unitCount,
      unit_label: property.unitLabel,
      year_built: property.yearBuilt,
    },
    losses: made.losses,
    hazards: serializeHazardFlagCounts(knowledge, made.flags),
    overdue_inspections: made.overdue.map(serializeComplianceItem),
    claims: {
      since: claims.since,
      count: claims.count,
      incurred: jsonUsdFromCents(claims.incurredCents),
      per_year: roundJsonNumber(claims.count / claims.years, 2),
      expected_damages_per_year: roundJsonNumber(made.expectedDamages, 2),
    },
    loss_control: {
      components: control.components,
      planned_cost: jsonUsdFromCents(control.plannedCents),
      damage_saved: jsonUsdFromCents(Math.round(control.savedCents)),
      saved_per_dollar:
        control.plannedCents > 0 ? roundJsonNumber(control.savedCents / control.plannedCents, 4) : null,
      best: control.best.map(({ component, plannedCents, savedCents }) => ({
        component_id: component.id,
        component_name: knowledge.component(component.defId).name,
        risk_score: jsonScoreFromHundredths(component.riskScore),
        planned_cost: jsonUsdFromCents(plannedCents),
        damage_saved: jsonUsdFromCents(Math.round(savedCents)),
      })),
    },
    standing: {
      as_of: standing?.day ?? null,
      properties: standing?.properties ?? 0,
      expected_per_unit: rounded(standing?.expected),
      damage_per_unit: rounded(standing?.damage),
    },
  };
});
