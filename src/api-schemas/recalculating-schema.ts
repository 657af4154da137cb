import type { Fields, RecordType } from "./definition/api-schema-type.ts";
import { flagSchema } from "./definition/schema-field-types.ts";

/** The field of answers with money while the sums of a large portfolio do not follow changed costs yet. */
export const recalculating = {
  recalculating: flagSchema(
    "True while stored sums are being recalculated by changed costs; absent otherwise",
  ).orAbsent(),
};

/** Returns the type of a record of figures with the field. */
export const figuresSchemaWithRecalculating = <F extends Fields>(record: RecordType<F>) =>
  record.and(recalculating);

/** Adds the field to a record of figures unless the sums follow the present costs. */
export const addRecalculatingToJson = <T extends object>(
  record: T,
  isRecalculating: boolean,
): T & { recalculating?: boolean } => (isRecalculating ? { ...record, recalculating: true } : record);
