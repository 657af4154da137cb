import { RecordType, type SchemaType } from "./definition/api-schema-type.ts";
import { listSchema, objectSchema, textSchema, wholeNumberSchema } from "./definition/schema-field-types.ts";
import { partnerName } from "./paging-schema.ts";

/** The result of a bulk request: the saved items, and the errors of the others by their position. */
export type BulkResult<T> = { saved: T[]; errors: { index: number; error: string }[] };

const resultFields = {
  created: wholeNumberSchema("Items created", 1),
  errors: wholeNumberSchema("Items rejected", 0),
  error_details: listSchema(
    "The rejected items, by their position",
    objectSchema({
      index: wholeNumberSchema("Position in the request, from 0", 2),
      error: textSchema("Error message", "event_type and date required"),
    }),
  ),
};

/** The fields of a bulk result. The specification names the list of created records `events`, whatever they are. */
export const bulkResultSchemaFields = <T>(description: string, item: SchemaType<T>) => ({
  ...resultFields,
  events: listSchema(description, item),
});

export const bulkResultSchema = <T>(description: string, item: SchemaType<T>) =>
  new RecordType({ ...bulkResultSchemaFields(description, item), partner: partnerName });

export const serializeBulkResult = <T, Json>(
  { saved: kept, errors }: BulkResult<T>,
  view: (item: T) => Json,
) => ({
  created: kept.length,
  errors: errors.length,
  events: kept.map(view),
  error_details: errors,
});
