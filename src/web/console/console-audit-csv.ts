import type { AuditEntryJson } from "../../api-schemas/audit-schema.ts";

/** The most entries that one file has. */
export const MOST_IN_FILE = 20_000;
/** The entries that one call returns at most. */
export const AUDIT_PAGE = 200;

type Calls = {
  page: (
    query: URLSearchParams,
  ) => Promise<{ entries: readonly Pick<AuditEntryJson, "at">[]; total: number }>;
  /** Returns a page as CSV, with its heading. */
  file: (query: URLSearchParams) => Promise<string>;
};

/**
 * Returns the newest entries of the audit log that match the filters as the API's CSV, from several calls. Entries that are
 * added meanwhile would move others to later pages, so the file ends at the one that was the newest when it began.
 */
export async function fetchConsoleAuditCsv(
  filters: URLSearchParams,
  { page, file }: Calls,
  onRead: (entries: number) => void,
): Promise<string> {
  onRead(0);
  const { entries, total } = await page(withParameters(filters, { limit: "1" }));
  const newest = entries[0]?.at;
  const until = newest && { until: new Date(Date.parse(newest) + 1).toISOString() };
  const most = Math.min(total, MOST_IN_FILE);
  const parts: string[] = [];
  for (let offset = 0; offset === 0 || offset < most; offset += AUDIT_PAGE) {
    const limit = Math.max(1, Math.min(AUDIT_PAGE, most - offset));
    const slice = { ...until, format: "csv", limit: String(limit), offset: String(offset) };
    const text = await file(withParameters(filters, slice));
    // Names of columns have no line ends.
    parts.push(offset === 0 ? text : text.slice(text.indexOf("\n") + 1));
    onRead(Math.min(offset + limit, most));
  }
  return parts.join("");
}

function withParameters(query: URLSearchParams, added: Readonly<Record<string, string>>): URLSearchParams {
  const all = new URLSearchParams(query);
  for (const [name, value] of Object.entries(added)) all.set(name, value);
  return all;
}
