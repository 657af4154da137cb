/** Formats a time to the minute, for a column whose heading says that it is in UTC. */
export const minuteOf = <T extends string | null>(iso: T) =>
  (iso === null ? null : iso.slice(0, 16).replace("T", " ")) as T;
