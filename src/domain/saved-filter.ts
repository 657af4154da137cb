import type { Instant } from "./time.ts";

/** The filters of a list under a name, as the query of its page. */
export type SavedFilter = { name: string; query: string; savedAt: Instant };

/** The most that a partner can save. */
export const MOST_SAVED_FILTERS = 50;
