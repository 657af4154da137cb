import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { WARNING_FROM } from "../../domain/component.ts";

const THRESHOLD = sql.raw(String(WARNING_FROM));

/**
 * The condition that a score in hundredths is WARNING or CRITICAL. The threshold is a literal: with a bound value,
 * SQLite does not use the partial indexes that have this condition.
 */
export const isElevatedScoreSql = (riskScore: SQLWrapper): SQL => sql`${riskScore} >= ${THRESHOLD}`;
