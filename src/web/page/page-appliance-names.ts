import type { ApplianceTypeJson } from "../../api-schemas/appliance-schema.ts";
import type { ComponentJson } from "../../api-schemas/component-schema.ts";
import type { UnitJson } from "../../api-schemas/property-schema.ts";
import { unitLabel } from "../../domain/wording/currency-and-unit-wording.ts";
import { compareWordingNaturally } from "../../domain/wording/us-english-wording.ts";
import { pageCodeLabel } from "./page-code-labels.ts";

const MAX_UNITS_LISTED = 4;
const NUMBER = /^[1-9]\d{0,8}$/;

/** Sorts labels in natural order. Numbers, which most labels are, take a path without the collator: it is slow for tens of thousands. */
const sortUnitLabels = (labels: readonly string[]): string[] =>
  labels.every((label) => NUMBER.test(label))
    ? Array.from(Float64Array.from(labels, Number).sort(), String)
    : labels.toSorted(compareWordingNaturally);

/** Collapses consecutive numbers of sorted labels into ranges such as `3–7`; `size` is the number of labels in each. */
function collapseRuns(labels: readonly string[]): { text: string; size: number }[] {
  const runs: string[][] = [];
  for (const label of labels) {
    const run = runs.at(-1);
    const follows = NUMBER.test(label) && run?.at(-1) === String(Number(label) - 1);
    if (run && follows) run.push(label);
    else runs.push([label]);
  }
  return runs.flatMap((run) =>
    run.length > 2
      ? [{ text: `${run[0]}–${run.at(-1)}`, size: run.length }]
      : run.map((text) => ({ text, size: 1 })),
  );
}

type NamedType = Pick<ApplianceTypeJson, "type_id" | "name" | "system"> & {
  size?: { unit: string } | null;
};
type NamedUnit = Pick<UnitJson, "id" | "label">;

/** Names appliances for a reader, by type and unit label. */
export class ApplianceNames {
  readonly #types: ReadonlyMap<string, NamedType>;
  readonly #units: ReadonlyMap<string, string>;

  constructor(types: readonly NamedType[], units: readonly NamedUnit[]) {
    this.#types = new Map(types.map((type) => [type.type_id, type]));
    this.#units = new Map(units.map(({ id, label }) => [id, label]));
  }

  /** `Gas storage water heater` */
  typeName(typeId: string): string {
    return this.#types.get(typeId)?.name ?? pageCodeLabel(typeId);
  }

  /** `gallons`; undefined for a type whose costs do not depend on size. */
  sizeUnitOf(typeId: string): string | undefined {
    const unit = this.#types.get(typeId)?.size?.unit;
    return unit === undefined ? undefined : unitLabel(unit);
  }

  /** The code of the building system that a type belongs to. */
  systemOf(typeId: string): string {
    return this.#types.get(typeId)?.system ?? "other";
  }

  /** `Refrigerator, units 1–12, 15, 21, and 9 more`, for components of one appliance type. */
  ofGroup(components: readonly Pick<ComponentJson, "appliance_type" | "unit">[]): string {
    const labels = new Set(components.flatMap(({ unit }) => this.#units.get(unit ?? "") ?? []));
    const name = this.typeName(components[0]!.appliance_type);
    if (labels.size === 0) return name;
    const runs = collapseRuns(sortUnitLabels([...labels]));
    const shown = runs.slice(0, MAX_UNITS_LISTED).map(({ text }) => text);
    const more = runs.slice(MAX_UNITS_LISTED).reduce((sum, { size }) => sum + size, 0);
    const list = new Intl.ListFormat("en-US").format(more > 0 ? [...shown, `${more} more`] : shown);
    return `${name}, ${labels.size === 1 ? "unit" : "units"} ${list}`;
  }

  /** `Gas storage water heater, unit 4` */
  of({ appliance_type, unit }: Pick<ComponentJson, "appliance_type" | "unit">): string {
    const label = unit === null ? undefined : this.#units.get(unit);
    return label === undefined
      ? this.typeName(appliance_type)
      : `${this.typeName(appliance_type)}, unit ${label}`;
  }
}
