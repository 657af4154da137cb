/* Times in tables, whose headings say that they are in UTC. A table of unlimited width shows them in full. */

const cut = <T extends string | null>(iso: T, length: number, width: number) =>
  (iso === null || !Number.isFinite(width) ? iso : iso.slice(0, length).replace("T", " ")) as T;

export const terminalMinuteText = <T extends string | null>(iso: T, width: number): T => cut(iso, 16, width);
export const terminalSecondText = <T extends string | null>(iso: T, width: number): T => cut(iso, 19, width);

/** Formats a time with its time zone, for a line of its own. */
export const terminalUtcTimeText = <T extends string | null>(iso: T, width: number) =>
  (iso === null || !Number.isFinite(width) ? iso : `${terminalSecondText(iso, width)} UTC`) as T;
