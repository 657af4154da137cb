import { partnerName } from "./paging.ts";
import { list, object, text, whole } from "./schema/fields.ts";
import { RecordType, type WireType } from "./schema/wire-type.ts";

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
export const bulkFields = <T>(description: string, item: WireType<T>) => ({
  ...resultFields,
  events: list(description, item),
});

export const bulkReply = <T>(description: string, item: WireType<T>) =>
  new RecordType({ ...bulkFields(description, item), partner: partnerName });

export const serializeBulkResult = <T, Wire>(
  { saved: kept, errors }: BulkResult<T>,
  view: (item: T) => Wire,
) => ({
  created: kept.length,
  errors: errors.length,
  events: kept.map(view),
  error_details: errors,
});
