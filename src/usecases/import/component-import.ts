import {
  componentChange,
  parseComponentChangeJson,
  serializeStatedComponent,
} from "../../api-schemas/component-change-schema.ts";
import { apiInputCsvColumns } from "../../api-schemas/definition/api-input-csv-columns.ts";
import type { ComponentChange, PlacedComponent, StatedComponentFields } from "../../domain/component.ts";
import { invalid, notFound } from "../../domain/errors.ts";
import { ComponentCorrector } from "../portfolio/change-component.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import {
  APPLIANCE_REFERENCES,
  importedApplianceReference,
  importedComponentNotInServiceError,
  ReferencedAppliances,
  type RowApplianceReference,
} from "./appliance-references.ts";
import { type Comparison, compareRowWithRecord } from "./compare-import-row-with-record.ts";
import type { Preloading } from "./import-appliance-cache.ts";
import {
  type AddedCounts,
  NOTHING_ADDED,
  type RowBatch,
  type RowCells,
  type RowKind,
  type RowOutcome,
} from "./import-row-kind.ts";

/** The component of a row: by its ID, or by its kind within an appliance. */
type Reference = { componentId: string } | { appliance: RowApplianceReference; defId: string };
type Entry = { component: Reference; cells: RowCells };

const COMPARISON: Comparison<StatedComponentFields, ComponentChange> = {
  fields: Object.keys(componentChange.type.fields),
  read: (cells) => parseComponentChangeJson(withFlag(cells)),
  view: serializeStatedComponent,
};

/** Rows that state something about components, which their appliances bring along: a row never creates one. */
export const componentImportRows: RowKind<Entry> = {
  name: "components",
  fields: {
    component_id: "text",
    appliance_id: "text",
    serial: "text",
    partner_property_id: "text",
    property_id: "text",
    component_def_id: "text",
    ...apiInputCsvColumns(componentChange),
  },
  required: [],
  references: [["component_id"], ...APPLIANCE_REFERENCES.map((columns) => [...columns, "component_def_id"])],
  read(cells) {
    parseComponentChangeJson(withFlag(cells));
    return { component: readReference(cells), cells };
  },
  start() {
    const reading = { pays: true };
    return (writer) => new ComponentBatch(writer, reading);
  },
};

class ComponentBatch implements RowBatch<Entry> {
  readonly #appliances: ReferencedAppliances;
  readonly #corrections: ComponentCorrector;
  /** The components of rows, by their IDs. */
  readonly #components = new Map<string, PlacedComponent>();
  readonly #ofAppliance = new Map<string, readonly PlacedComponent[]>();

  constructor(
    private readonly writer: PortfolioWriter,
    reading: Preloading,
  ) {
    this.#appliances = new ReferencedAppliances(writer, reading);
    this.#corrections = new ComponentCorrector(writer);
  }

  async preload(entries: readonly Entry[]): Promise<void> {
    const references = entries.flatMap(({ component }) =>
      "appliance" in component ? [component.appliance] : [],
    );
    const found = await this.#appliances.preload(references);
    const ids = found.map(({ id }) => id).filter((id) => !this.#ofAppliance.has(id));
    const rows = await this.writer.tx.components.rowsOfAppliances(ids);
    for (const [id, some] of Map.groupBy(rows, ({ applianceId }) => applianceId))
      this.#ofAppliance.set(id, some);
  }

  async apply({ component: reference, cells }: Entry, update: boolean): Promise<RowOutcome> {
    const component = await this.#find(reference);
    if (!update) return "unchanged";
    const stated = await this.#corrections.stated(component);
    const { fields } = compareRowWithRecord(COMPARISON, cells, stated);
    if (fields.length === 0) return "unchanged";
    // The whole row: a cost that holds now may not after a change of the other.
    const change = COMPARISON.read(cells);
    this.#components.set(component.id, await this.#corrections.change(component, change));
    return { updated: fields };
  }

  async finish(): Promise<AddedCounts> {
    await this.#corrections.finish();
    return NOTHING_ADDED;
  }

  async #find(reference: Reference): Promise<PlacedComponent> {
    const id = "componentId" in reference ? reference.componentId : await this.#idOf(reference);
    const { tx, partner } = this.writer;
    const found = this.#components.get(id) ?? (await tx.components.find(partner.id, id));
    if (!found) throw notFound(`Component not found: ${id}`);
    return found;
  }

  async #idOf({ appliance: reference, defId }: Exclude<Reference, { componentId: string }>): Promise<string> {
    const appliance = await this.#appliances.find(reference);
    const found = this.#ofAppliance.get(appliance.id)?.find((component) => component.defId === defId);
    if (!found) throw importedComponentNotInServiceError(appliance);
    if (!this.#components.has(found.id)) this.#components.set(found.id, found);
    return found.id;
  }
}

/** Returns the cells with the flag that a body would have. Other texts stay, and are refused as they would be there. */
function withFlag({ original, ...cells }: RowCells): object {
  if (original === undefined) return cells;
  const flag = { true: true, false: false }[String(original).toLowerCase()];
  return { ...cells, original: flag ?? original };
}

/** Throws a Failure if the row refers to no component. */
function readReference(cells: RowCells): Reference {
  const { component_id: id, component_def_id: defId } = cells;
  if (id !== undefined) return { componentId: String(id) };
  if (defId === undefined)
    throw invalid("component_def_id required", [
      { field: "component_def_id", message: "or component_id is required" },
    ]);
  return { appliance: importedApplianceReference(cells), defId: String(defId) };
}
