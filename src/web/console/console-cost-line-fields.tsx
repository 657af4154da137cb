import type { CostLineJson } from "../../api-schemas/cost-book-schema.ts";
import { currencyCode } from "../../domain/wording/currency-and-unit-wording.ts";

/** A line without an id, as it is sent. */
export type NewCostLine = Omit<CostLineJson, "id" | "as_of"> & { as_of: string | null };

/** Returns the lines of the new book from those of the present one, or why it cannot be changed. */
export type ConsoleCostBookChange = (
  present: readonly CostLineJson[],
) => readonly (CostLineJson | NewCostLine)[] | string;

/** Renders the fields of a line in a form. */
export function ConsoleCostLineFields({ line }: { line?: CostLineJson }) {
  return (
    <div class="edit">
      <label>
        Type
        <input
          name="type_id"
          required
          autoComplete="off"
          spellcheck={false}
          placeholder="boiler"
          defaultValue={line?.type_id ?? ""}
        />
      </label>
      <label>
        Component
        <input
          name="component_def_id"
          autoComplete="off"
          spellcheck={false}
          placeholder="Whole appliance"
          defaultValue={line?.component_def_id ?? ""}
        />
      </label>
      <label>
        State or region
        <input
          name="state"
          maxLength={13}
          autoComplete="off"
          placeholder="All"
          defaultValue={line?.state ?? ""}
        />
      </label>
      <NumberField name="size" label="Size" placeholder="Any" value={line?.size} />
      <NumberField
        name="proactive_cost"
        label={`Planned cost (${currencyCode()})`}
        value={line?.proactive_cost}
      />
      <NumberField
        name="reactive_cost"
        label={`Cost after failure (${currencyCode()})`}
        value={line?.reactive_cost}
      />
      <label>
        As of
        <input name="as_of" type="date" defaultValue={line?.as_of ?? ""} />
      </label>
      <input type="hidden" name="basis" value={line?.basis ?? "own"} />
    </div>
  );
}

function NumberField(props: {
  name: string;
  label: string;
  value: number | null | undefined;
  placeholder?: string;
}) {
  const { name, label, value, placeholder } = props;
  return (
    <label>
      {label}
      <input
        name={name}
        type="number"
        min={0}
        step="any"
        inputMode="decimal"
        placeholder={placeholder}
        defaultValue={String(value ?? "")}
      />
    </label>
  );
}

/** Returns the line in a form. */
export function readConsoleCostLineForm(form: FormData): NewCostLine {
  const text = (name: string) => String(form.get(name) ?? "").trim() || null;
  return costLineOfConsoleForm(text);
}

/** Returns a line from texts by the names of the fields. A text that is no number stays one, and is refused. */
export function costLineOfConsoleForm(text: (name: string) => string | null): NewCostLine {
  const number = (name: string) => {
    const typed = text(name);
    return typed === null ? null : Number.isNaN(Number(typed)) ? (typed as never) : Number(typed);
  };
  return {
    type_id: text("type_id") ?? "",
    component_def_id: text("component_def_id"),
    state: text("state"),
    proactive_cost: number("proactive_cost"),
    reactive_cost: number("reactive_cost"),
    size: number("size"),
    as_of: text("as_of"),
    basis: (text("basis") ?? "own") as NewCostLine["basis"],
  };
}
