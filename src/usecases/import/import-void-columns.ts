import type { ChangeOrVoid, Voiding } from "../../api-schemas/voiding-schema.ts";
import { invalid } from "../../domain/errors.ts";
import type { RowCells, RowOutcome } from "./import-row-kind.ts";

/** The columns of a row that voids a stored record. */
export const VOID_COLUMNS = { voided: "text", void_reason: "text" } as const;

/** Returns the voiding that a row asks for. Throws invalid_request for neither true nor false. */
export function readImportRowVoiding(
  { voided, void_reason: reason }: RowCells,
  read: (given: unknown) => ChangeOrVoid<unknown>,
): Voiding | undefined {
  if (voided === undefined) return undefined;
  const flag = { true: true, false: false }[String(voided).toLowerCase()];
  if (flag === undefined) throw invalid("voided", [{ field: "voided", message: "must be true or false" }]);
  const asked = read({ voided: flag, ...(reason !== undefined && { reason }) });
  return "void" in asked ? asked.void : undefined;
}

type Voided = { voidedAt: number | null; voidReason: string | null };

/** Returns the outcome of a row that voids a record, which stays as it is if it was voided with a reason. */
export function voidRowOutcome(before: Voided, after: Voided): RowOutcome {
  if (before.voidedAt === null) return { updated: [{ field: "voided", from: false, to: true }] };
  if (before.voidReason === after.voidReason) return "unchanged";
  return { updated: [{ field: "void_reason", from: before.voidReason, to: after.voidReason }] };
}
