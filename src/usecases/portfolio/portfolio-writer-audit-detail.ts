import { cutText } from "../../domain/wording/cut-text-wording.ts";

/** Longer texts are cut in the audit log. */
const MAX_TEXT = 200;

/**
 * Returns the fields in which two versions of a record differ, before and after, for the audit log; undefined if there
 * are none. A field that one version lacks counts as null.
 */
export function portfolioWriterAuditDetail(
  before: object,
  after: object,
): { before: Record<string, unknown>; after: Record<string, unknown> } | undefined {
  const [from, to] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const fields = [...new Set([...from.keys(), ...to.keys()])];
  const changed = fields.filter((field) => !Bun.deepEquals(from.get(field) ?? null, to.get(field) ?? null));
  if (changed.length === 0) return undefined;
  const pick = (record: ReadonlyMap<string, unknown>) =>
    Object.fromEntries(changed.map((field) => [field, shortened(record.get(field) ?? null)]));
  return { before: pick(from), after: pick(to) };
}

const shortened = (value: unknown) =>
  typeof value === "string" && value.length > MAX_TEXT ? `${cutText(value, MAX_TEXT)}…` : value;
