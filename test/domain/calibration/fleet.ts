import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LifeOnRecord } from "../../../src/domain/calibration/calibration-life.ts";
import { livesOnRecordInSteps } from "../../../src/domain/calibration/lives-on-record-in-steps.ts";
import type { BrandTier, PropertyHistory } from "../../../src/domain/scoring/scoring-types.ts";
import type { Condition, EventType } from "../../../src/domain/service-event.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import expected from "../../fixtures/golden-calibration/expected.json" with { type: "json" };
import { appliance, event, knowledge } from "../scoring/histories.ts";

export { expected };

/** Returns the properties of the golden calibration. Appliances have their serial numbers as ids. */
export function goldenFleet(): PropertyHistory[] {
  const appliances = Map.groupBy(rows("appliances.csv"), (row) => row.partner_property_id!);
  const events = Map.groupBy(rows("service_events.csv"), (row) => row.serial!);
  return rows("properties.csv").map((property) => ({
    state: property.state!,
    recordsSince: property.records_since!,
    yearBuilt: null,
    claims: [],
    appliances: (appliances.get(property.partner_property_id!) ?? []).map((row) =>
      appliance(row.type_id!, {
        id: row.serial!,
        brandTier: row.brand_tier as BrandTier,
        installYear: Number(row.install_year),
        usageIntensity: Number(row.usage_intensity),
        events: (events.get(row.serial!) ?? []).map((given) =>
          event(given.event_type as EventType, given.date!, {
            componentId: given.component_def_id ? `${row.serial}/${given.component_def_id}` : null,
            conditionAfter: (given.condition_after || null) as Condition | null,
          }),
        ),
      }),
    ),
  }));
}

export function livesOf(fleet: readonly PropertyHistory[], asOf: string): LifeOnRecord[] {
  return fleet.flatMap((property) => runSteps(livesOnRecordInSteps(knowledge, property, asOf)));
}

function rows(file: string): Record<string, string>[] {
  const text = readFileSync(join(import.meta.dir, "../../fixtures/golden-calibration", file), "utf8");
  const [header, ...lines] = text.trim().split(/\r?\n/);
  const names = header!.split(",");
  return lines.map((line) =>
    Object.fromEntries(line.split(",").map((value, i) => [names[i]!, value] as const)),
  );
}
