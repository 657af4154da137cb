import { apiSchemaOfInputValidator } from "./api-schema-input-validator.ts";
import type { Fields, RecordType } from "./api-schema-type.ts";

/** Returns the columns of a CSV file whose rows are inputs of this type, with what their cells contain. */
export function apiInputCsvColumns({
  type,
}: {
  type: RecordType<Fields>;
}): Record<string, "text" | "number"> {
  const columns = Object.entries(type.fields).map(([name, { definition }]) => {
    const schema =
      definition.kind === "validated"
        ? apiSchemaOfInputValidator(definition.validator())
        : definition.kind === "value"
          ? definition.schema
          : {};
    return [name, schema.type === "number" || schema.type === "integer" ? "number" : "text"];
  });
  return Object.fromEntries(columns);
}
