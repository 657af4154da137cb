import type { CsvCellType } from "../api-schemas/definition/api-input-csv-columns.ts";
import { OperatorError } from "../domain/errors.ts";
import type { Partner } from "../domain/partner.ts";
import { embeddedKnowledge } from "../knowledge/embedded-knowledge.ts";
import type { Store } from "../store/store.ts";
import { parseTableCellConditionScale } from "../table-cells/table-cell-scales.ts";
import { requirePartner } from "../usecases/partners/create-partner-and-credentials.ts";
import { type PortfolioWriter, writePortfolio } from "../usecases/portfolio/portfolio-writer.ts";
import { repeatableOption, UsageError, valueOption } from "./command.ts";
import type { CommandContext } from "./command-context.ts";
import { auditActorOfCommand } from "./command-data-access.ts";
import { terminalTable } from "./terminal/terminal-table.ts";

/* Shared by the commands that show and correct a single record. */

const assignment = valueOption("FIELD=VALUE", "", (typed) => {
  const at = typed.indexOf("=");
  const [field, text] = [typed.slice(0, at).trim(), typed.slice(at + 1).trim()];
  if (at < 1 || text === "")
    throw new UsageError(
      `expected FIELD=VALUE, got ${JSON.stringify(typed)}`,
      "--clear FIELD empties a field.",
    );
  return { field, text };
});

/** The options of a command that corrects a record. */
export const correctionOptions = {
  set: { ...assignment, description: "set FIELD to VALUE; can be repeated", absent: [], repeated: true },
  clear: repeatableOption("FIELD", "empty an optional field; can be repeated"),
} as const;

type Given = { set: readonly { field: string; text: string }[]; clear: readonly string[] };
/** The kinds of a record's fields. A list is separated by commas; a range is two numbers, such as `1-5`. */
type FieldKind = CsvCellType | "flag" | "list" | "range";
type FieldKinds = Readonly<Record<string, FieldKind | (() => FieldKind)>>;

/** Returns the body of the same correction by API. Throws a UsageError for an unknown field, or without any. */
export function correctionBodyOfCommand(kinds: FieldKinds, { set, clear }: Given): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const { field, text } of set) body[field] = parseValue(field, text, kindOf(kinds, field));
  for (const field of clear) {
    kindOf(kinds, field, "--clear: ");
    body[field] = null;
  }
  if (Object.keys(body).length === 0)
    throw new UsageError(
      "nothing to change",
      `Pass --set FIELD=VALUE. Fields: ${Object.keys(kinds).join(", ")}.`,
    );
  return body;
}

function kindOf(kinds: FieldKinds, field: string, option = ""): FieldKind {
  const kind = kinds[field];
  if (kind !== undefined && Object.hasOwn(kinds, field)) return typeof kind === "string" ? kind : kind();
  throw new UsageError(
    `${option}unknown field ${JSON.stringify(field)}`,
    `Fields: ${Object.keys(kinds).join(", ")}.`,
  );
}

function parseValue(field: string, text: string, kind: FieldKind): unknown {
  if (kind === "list") return text.split(/[\s,;]+/).filter(Boolean);
  if (kind === "range") return parseTableCellConditionScale(text);
  if (kind === "flag") {
    if (text === "true" || text === "false") return text === "true";
    throw new UsageError(`${field}: expected true or false, got ${JSON.stringify(text)}`);
  }
  if (kind === "text") return text;
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new UsageError(`${field}: expected a number such as 12 or 1200.50, got ${JSON.stringify(text)}`);
}

/** Corrects a record of a partner's portfolio. The audit log names the user. */
export async function correctRecordByCommand<T>(
  context: CommandContext,
  store: Store,
  partnerId: string,
  run: (writer: PortfolioWriter) => Promise<T>,
): Promise<T> {
  const partner: Partner = await requirePartner(store, partnerId);
  return await writePortfolio(
    store.write,
    embeddedKnowledge(context.config.costs),
    partner,
    run,
    auditActorOfCommand(context),
  );
}

/** Throws an OperatorError for a record that does not exist. */
export function requireFoundRecordForCommand<T>(found: T | undefined, kind: string, id: string): T {
  if (found !== undefined) return found;
  throw new OperatorError(
    `${kind} not found: ${id}`,
    "`mainstay export` has the IDs of a partner's records.",
  );
}

/** Returns a record as lines of field and value. */
export const commandRecordText = (record: object, width: number): string =>
  terminalTable(
    ["FIELD", { heading: "VALUE", wraps: true }],
    Object.entries(record).map(([field, value]) => [
      field,
      typeof value === "object" && value !== null ? JSON.stringify(value) : value,
    ]),
    width,
  );
