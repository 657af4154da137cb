import { type FieldIssue, invalid } from "../domain/errors.ts";
import { type ArkErrors, compiledType, type Type, type } from "../shapes.ts";
import { type Fields, Form, OptionalForm, RecordForm } from "./kit.ts";
import type { Schema } from "./schema.ts";

/*
 * What comes in, said once: each field with what it may hold, its words and an example in one expression, of which the
 * check, its messages and the API document follow.
 */

/** At most this many fields are named in one answer. */
const MAX_ISSUES = 20;

type Checked<T> = { readonly infer: T };

/** A field that comes in: how it is checked, and what the document says of it. */
type Field<T, Absent extends boolean> = {
  checked: () => Type<unknown>;
  absent: Absent;
  form: Form<T>;
};
type InputFields = Readonly<Record<string, Field<unknown, boolean>>>;

type Flat<T> = { [K in keyof T]: T[K] };
type ValueOf<F> = F extends Field<infer T, boolean> ? T : never;
type AbsentNames<F extends InputFields> = {
  [K in keyof F]: F[K] extends Field<unknown, true> ? K : never;
}[keyof F];
export type InputOf<F extends InputFields> = Flat<
  { [K in Exclude<keyof F, AbsentNames<F>>]: ValueOf<F[K]> } & { [K in AbsentNames<F>]?: ValueOf<F[K]> }
>;

/** Words and example of an incoming field: those of the field that goes out, or its own. */
type Said = Form<unknown> | string;

const about = (said: Said, example: unknown) =>
  said instanceof Form ? { words: said.about.words, example: said.about.example } : { words: said, example };

/** A field that the request cannot do without. The answer to a missing one lists them all. */
export const required = <T>(checked: Checked<T>, said: Said, example?: unknown): Field<T, false> => ({
  checked: () => checked as Type<unknown>,
  absent: false,
  form: new Form<T>({ kind: "checked", checked: checked as Type<unknown> }, about(said, example)),
});

/** A field that may be left out, and is not null. */
export const optional = <T>(checked: Checked<T>, said: Said, example?: unknown): Field<T, true> => ({
  checked: () => checked as Type<unknown>,
  absent: true,
  form: new OptionalForm<T>(
    { kind: "checked", checked: checked as Type<unknown> },
    { ...about(said, example), optional: true },
  ),
});

/** A field that may be left out or null. */
export function nullable<T>(checked: Checked<T>, said: Said, example?: unknown): Field<T | null, true> {
  const { form } = optional(checked, said, example);
  return {
    checked: () => (checked as Type<unknown>).or("null") as Type<unknown>,
    absent: true,
    form: new OptionalForm<T | null>(form.make, { ...form.about, nullable: true }),
  };
}

/** The same field, which the document shows as another form than the one that is checked: stricter, to be kept to. */
export const documented = <T, Absent extends boolean>(
  field: Field<T, Absent>,
  shown: Schema | Form<unknown> | "required",
): Field<T, Absent> => ({
  ...field,
  form:
    shown instanceof Form
      ? new Form<T>(shown.make, field.form.about)
      : shown === "required"
        ? new Form<T>(field.form.make, { words: field.form.about.words, example: field.form.about.example })
        : new Form<T>({ kind: "value", schema: shown }, field.form.about),
});

/** A list whose items are read one by one, each good one for itself. */
export const items = (words: string, item: Input<InputFields>): Field<unknown[], false> => ({
  checked: () => type("unknown[]") as unknown as Type<unknown>,
  absent: false,
  form: new Form<unknown[]>({ kind: "list", item: item.form }, { words }),
});

/** An object within: its own fields may be left out, and it may be itself. */
export const part = <F extends InputFields>(
  input: Input<F>,
  words: string,
): Field<InputOf<F> | null, true> => ({
  // Without a required field, a list would pass for an object.
  checked: () =>
    input.checked
      .narrow((value) => !Array.isArray(value))
      .describe("an object")
      .or("null") as Type<unknown>,
  absent: true,
  form: new OptionalForm(input.form.make, { words, optional: true, nullable: true }) as never,
});

/** An object that comes in. */
export class Input<F extends InputFields> {
  #checked: Type<object> | undefined;
  /** The answer to a missing one lists them all, in the specification's words: `name, address, state required`. */
  readonly required: readonly string[];
  readonly form: RecordForm<Fields>;

  constructor(
    readonly fields: F,
    name?: string,
  ) {
    const entries = Object.entries(fields);
    this.required = entries.filter(([, { absent }]) => !absent).map(([key]) => key);
    const forms = entries.map(([key, { form }]) => [key, form]);
    this.form = new RecordForm(Object.fromEntries(forms) as Fields, name);
  }

  /** Made when something is first checked: to compile all of them at a start would take a fifth of it. */
  get checked(): Type<object> {
    this.#checked ??= compiledType(
      Object.fromEntries(
        Object.entries(this.fields).map(([key, { checked, absent }]) => [
          absent ? `${key}?` : key,
          checked(),
        ]),
      ) as never,
    ) as unknown as Type<object>;
    return this.#checked;
  }

  /** The input as that shape, unknown fields left out of what is read. Throws invalid_request, which never repeats it. */
  check(input: unknown): InputOf<F> {
    const missing = this.required.filter((name) => isAbsent(input, name));
    if (missing.length > 0)
      throw invalid(
        `${listed(this.required)} required`,
        missing.map((field) => ({ field, message: "is required" })),
      );
    const result = this.checked(input);
    if (!(result instanceof type.errors)) return result as InputOf<F>;
    const issues = fieldIssues(this.checked, result);
    throw invalid(`${issues[0]!.field} ${issues[0]!.message}`.trim(), issues);
  }
}

/** An object that comes in and that the API document names. */
export const input = <const F extends InputFields>(name: string, fields: F) => new Input(fields, name);

/** One without a name. */
export const body = <const F extends InputFields>(fields: F) => new Input(fields);

/** `a, b, c` for three or more, `a and b` for two: as the specification's own messages read. */
function listed(names: readonly string[]): string {
  return names.length === 2 ? names.join(" and ") : names.join(", ");
}

function isAbsent(input: unknown, name: string): boolean {
  if (typeof input !== "object" || input === null || !Object.hasOwn(input, name)) return true;
  const value = (input as Record<string, unknown>)[name];
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

function fieldIssues(shape: Type<object>, errors: ArkErrors): FieldIssue[] {
  return errors.slice(0, MAX_ISSUES).map((error) => ({
    field: error.path.join(".") || "body",
    message: `must be ${expectation(shape, error)}`,
  }));
}

/** What the field's own description says. An error of a union repeats what was sent, or speaks of one branch alone. */
function expectation(shape: Type<object>, error: ArkErrors[number]): string {
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
