/** The most entries that one file has. */
export const MOST_IN_FILE = 20_000;
/** The entries that one call returns at most. */
export const AUDIT_PAGE = 200;

/** Returns the newest entries of the audit log, each once: entries that are added meanwhile move others to later pages. */
export async function allEntries<Entry extends { seq: number }>(
  readPage: (offset: number) => Promise<readonly Entry[]>,
  onRead: (entries: number) => void,
): Promise<Entry[]> {
  const rows: Entry[] = [];
  onRead(0);
  for (let offset = 0; rows.length < MOST_IN_FILE; offset += AUDIT_PAGE) {
    const page = await readPage(offset);
    const last = rows.at(-1)?.seq ?? Number.POSITIVE_INFINITY;
    rows.push(...page.filter(({ seq }) => seq < last));
    onRead(rows.length);
    if (page.length < AUDIT_PAGE) break;
  }
  return rows.slice(0, MOST_IN_FILE);
}
