import { type ArkErrors, type Type, type } from "arktype";
import { type FieldIssue, invalid } from "../domain/errors.ts";

/** At most this many fields are named in one answer. */
const MAX_ISSUES = 20;

/**
 * A shape that comes in, with the fields that it cannot do without. The answer to a missing one lists them all, in
 * the specification's words: `name, address, state required`.
 */
export type Shape<T> = { type: Type<T>; required: readonly string[] };

export const shape = <const T extends Type>(checked: T, required: readonly string[]): Shape<T["infer"]> => ({
  type: checked as unknown as Type<T["infer"]>,
  required,
});

/** The input as that shape, unknown fields left out of what is read. Throws invalid_request, which never repeats the input. */
export function check<T>(expected: Shape<T>, input: unknown): T {
  const missing = expected.required.filter((name) => isAbsent(input, name));
  if (missing.length > 0)
    throw invalid(
      `${listed(expected.required)} required`,
      missing.map((field) => ({ field, message: "is required" })),
    );
  const result = expected.type(input);
  if (!(result instanceof type.errors)) return result as T;
  const issues = fieldIssues(expected.type, result);
  throw invalid(`${issues[0]!.field} ${issues[0]!.message}`.trim(), issues);
}

/** `a, b, c` for three or more, `a and b` for two: as the specification's own messages read. */
function listed(names: readonly string[]): string {
  return names.length === 2 ? names.join(" and ") : names.join(", ");
}

function isAbsent(input: unknown, name: string): boolean {
  if (typeof input !== "object" || input === null || !Object.hasOwn(input, name)) return true;
  const value = (input as Record<string, unknown>)[name];
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

function fieldIssues(shape: Type<unknown>, errors: ArkErrors): FieldIssue[] {
  return errors.slice(0, MAX_ISSUES).map((error) => ({
    field: error.path.join(".") || "body",
    message: `must be ${expectation(shape, error)}`,
  }));
}

/** What the field's own description says. An error of a union repeats what was sent, or speaks of one branch alone. */
function expectation(shape: Type<unknown>, error: ArkErrors[number]): string {
  const keys = error.path.filter((key): key is string => typeof key === "string");
  if (keys.length === 0 || keys.length < error.path.length) return error.expected;
  try {
    const described = (shape as unknown as { get(...keys: string[]): { description: string } }).get(...keys);
    return described.description
      .replace(/,? (undefined )?or (null|undefined)$/, "")
      .replace(/, undefined$/, "");
  } catch {
    return error.expected;
  }
}

/** Trimmed text, or null when there is none. */
export function textOrNull(value: string | null | undefined): string | null {
  const text = value?.trim();
  return text ? text : null;
}
