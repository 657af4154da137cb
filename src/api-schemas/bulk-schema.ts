import { list, object, text, whole } from "./definition/schema-field-types.ts";
import { RecordType, type SchemaType } from "./definition/schema-type.ts";
import { partnerName } from "./paging-schema.ts";

/** The result of a bulk request: the saved items, and the errors of the others by their position. */
export type BulkResult<T> = { saved: T[]; errors: { index: number; error: string }[] };

const resultFields = {
  created: whole("Items created", 1),
  errors: whole("Items rejected", 0),
  error_details: list(
    "The rejected items, by their position",
    object({
      index: whole("Position in the request, from 0", 2),
      error: text("Error message", "event_type and date required"),
    }),
  ),
};

/** The fields of a bulk result. The specification names the list of created records `events`, whatever they are. */
export const bulkFields = <T>(description: string, item: SchemaType<T>) => ({
  ...resultFields,
  events: list(description, item),
});

export const bulkReply = <T>(description: string, item: SchemaType<T>) =>
  new RecordType({ ...bulkFields(description, item), partner: partnerName });

export const serializeBulkResult = <T, Json>(
  { saved: kept, errors }: BulkResult<T>,
  view: (item: T) => Json,
) => ({
  created: kept.length,
  errors: errors.length,
  events: kept.map(view),
  error_details: errors,
});
