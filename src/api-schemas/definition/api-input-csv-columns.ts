import { apiSchemaOfInputValidator } from "./api-schema-input-validator.ts";
import type { Fields, RecordType } from "./api-schema-type.ts";

/** The type of the cells of a column. */
export type CsvCellType = "text" | "number";
export type CsvColumn = CsvCellType | (() => CsvCellType);

/**
 * Returns the columns of a CSV file whose rows are inputs of this type. The type of the cells of one follows from its
 * validator, whose package takes long to load: a command that only lists the columns does not load it.
 */
export function apiInputCsvColumns({
  type,
}: {
  type: RecordType<Fields>;
}): Record<string, () => CsvCellType> {
  const columns = Object.entries(type.fields).map(([name, { definition }]) => {
    const cellType = (): CsvCellType => {
      const schema =
        definition.kind === "validated"
          ? apiSchemaOfInputValidator(definition.validator())
          : definition.kind === "value"
            ? definition.schema
            : {};
      return schema.type === "number" || schema.type === "integer" ? "number" : "text";
    };
    return [name, cellType];
  });
  return Object.fromEntries(columns);
}
