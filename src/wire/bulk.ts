import { partnerName } from "./paging.ts";
import { list, object, text, whole } from "./schema/fields.ts";
import { RecordType, type WireType } from "./schema/wire-type.ts";

/** What became of a bulk request's items: those that were taken, and those that were refused by their position. */
export type BulkResult<T> = { kept: T[]; errors: { index: number; error: string }[] };

const outcome = {
  created: whole("Records created", 1),
  errors: whole("Records refused", 0),
  error_details: list(
    "The records that were refused, by their position",
    object({
      index: whole("Position in the request, from 0", 2),
      error: text("What was wrong, in words", "event_type and date required"),
    }),
  ),
};

/** The partial-success body. The created records stand under `events` whatever they are, as the specification has it. */
export const bulkFields = <T>(words: string, item: WireType<T>) => ({
  ...outcome,
  events: list(words, item),
});

export const bulkReply = <T>(words: string, item: WireType<T>) =>
  new RecordType({ ...bulkFields(words, item), partner: partnerName });

export const bulkView = <T, Wire>({ kept, errors }: BulkResult<T>, view: (item: T) => Wire) => ({
  created: kept.length,
  errors: errors.length,
  events: kept.map(view),
  error_details: errors,
});
