import type { AuditEntryJson } from "../../api-schemas/audit-schema.ts";

/** More changes of one entry are counted. */
const CHANGES_NAMED = 5;

/** Returns what an entry changed in records, with the values before and after; empty for other changes. */
export function pageAuditChangeTexts({ detail }: Pick<AuditEntryJson, "detail">): string[] {
  const lines = Array.isArray(detail.changes) ? detail.changes : [detail];
  const named = lines.slice(0, CHANGES_NAMED).flatMap((line) => (isRecord(line) ? changesOf(line) : []));
  return lines.length > CHANGES_NAMED ? [...named, `${lines.length - CHANGES_NAMED} more`] : named;
}

function changesOf({ before, after }: { before?: unknown; after?: unknown }): string[] {
  if (isRecord(before) && isRecord(after)) {
    const changed = Object.keys(after).filter(
      (field) => pageAuditValueText(before[field]) !== pageAuditValueText(after[field]),
    );
    return changed.every((field) => after[field] === null)
      ? removed(Object.fromEntries(changed.map((field) => [field, before[field]])))
      : changed.map(
          (field) => `${field} ${pageAuditValueText(before[field])} → ${pageAuditValueText(after[field])}`,
        );
  }
  if (isRecord(after)) return [`added ${fieldsText(after)}`];
  return isRecord(before) ? removed(before) : [];
}

const removed = (record: Readonly<Record<string, unknown>>) => {
  const text = fieldsText(record);
  return text === "" ? [] : [`removed ${text}`];
};

/** The hash of a file, which nobody reads. */
const UNNAMED = "sha256";

const fieldsText = (record: Readonly<Record<string, unknown>>) =>
  Object.entries(record)
    .filter(([field, value]) => value !== null && field !== UNNAMED)
    .map(([field, value]) => `${field} ${pageAuditValueText(value)}`)
    .join(", ");

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a value of an entry's details in words. */
export function pageAuditValueText(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(pageAuditValueText).join(" ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
