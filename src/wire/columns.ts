import { checkedSchema } from "./checked-schema.ts";
import type { Fields, RecordForm } from "./kit.ts";

/** The columns of a file whose rows are such inputs, named as their fields are, and what their cells hold. */
export function columnsOf({ form }: { form: RecordForm<Fields> }): Record<string, "text" | "number"> {
  const columns = Object.entries(form.fields).map(([name, { make }]) => {
    const schema =
      make.kind === "checked" ? checkedSchema(make.checked) : make.kind === "value" ? make.schema : {};
    return [name, schema.type === "number" || schema.type === "integer" ? "number" : "text"];
  });
  return Object.fromEntries(columns);
}
