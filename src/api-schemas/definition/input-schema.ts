import { type FieldIssue, invalid } from "../../domain/errors.ts";
import type { ArkErrors, Type } from "../../validation/arktype-validators.ts";
import {
  apiSchemaValidatorOf,
  type Constraint,
  compileApiSchemaObject,
  requireApiSchemaValidators,
} from "./api-schema-field-constraint.ts";
import type { Schema } from "./api-schema-to-json-schema.ts";
import { type Fields, OptionalType, RecordType, SchemaType } from "./api-schema-type.ts";

/*
 * The types of request bodies. One expression gives a field's constraint, description and example; the validator, its
 * error messages and the API document are derived from it.
 */

/** The maximum number of fields that one error response names. */
const MAX_ISSUES = 20;

type Field<T, Optional extends boolean> = {
  validator: () => Type<unknown>;
  optional: Optional;
  type: SchemaType<T>;
};
type InputFields = Readonly<Record<string, Field<unknown, boolean>>>;

type Flat<T> = { [K in keyof T]: T[K] };
type ValueOf<F> = F extends Field<infer T, boolean> ? T : never;
type OptionalNames<F extends InputFields> = {
  [K in keyof F]: F[K] extends Field<unknown, true> ? K : never;
}[keyof F];
export type InputOf<F extends InputFields> = Flat<
  { [K in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[K]> } & {
    [K in OptionalNames<F>]?: ValueOf<F[K]>;
  }
>;

/** A description of its own, or the response field whose description and example also hold for this one. */
type Described = SchemaType<unknown> | string;

const annotationsOf = (described: Described, example: unknown) =>
  described instanceof SchemaType
    ? { description: described.annotations.description, example: described.annotations.example }
    : { description: described, example };

/** Returns a field that every request must contain. */
export const requiredSchema = <T>(
  constraint: Constraint<T>,
  described: Described,
  example?: unknown,
): Field<T, false> => {
  const validator = () => apiSchemaValidatorOf(constraint);
  return {
    validator,
    optional: false,
    type: new SchemaType<T>({ kind: "validated", validator }, annotationsOf(described, example)),
  };
};

/** Returns a field that may be omitted but not null. */
export const optionalSchema = <T>(
  constraint: Constraint<T>,
  described: Described,
  example?: unknown,
): Field<T, true> => {
  const validator = () => apiSchemaValidatorOf(constraint);
  const annotations = { ...annotationsOf(described, example), optional: true };
  return {
    validator,
    optional: true,
    type: new OptionalType<T>({ kind: "validated", validator }, annotations),
  };
};

/** Returns a field that may be omitted or null. */
export function nullableSchema<T>(
  constraint: Constraint<T>,
  described: Described,
  example?: unknown,
): Field<T | null, true> {
  const { type: nonNull } = optionalSchema(constraint, described, example);
  return {
    validator: () => apiSchemaValidatorOf(constraint).or("null") as Type<unknown>,
    optional: true,
    type: new OptionalType<T | null>(nonNull.definition, { ...nonNull.annotations, nullable: true }),
  };
}

/** Returns the field with a stricter type in the API document than the one that requests are validated against. */
export const documentedSchema = <T, Optional extends boolean>(
  field: Field<T, Optional>,
  shown: Schema | SchemaType<unknown> | "required",
): Field<T, Optional> => {
  const { definition, annotations } = field.type;
  const { description, example } = annotations;
  return {
    ...field,
    type:
      shown instanceof SchemaType
        ? new SchemaType<T>(shown.definition, annotations)
        : shown === "required"
          ? new SchemaType<T>(definition, { description, example })
          : new SchemaType<T>({ kind: "value", schema: shown }, annotations),
  };
};

/** Returns a list field whose items the caller parses one by one, so that one bad item does not reject the others. */
export const itemsFieldSchema = (description: string, item: Input<InputFields>): Field<unknown[], false> => ({
  validator: () => requireApiSchemaValidators().type("unknown[]") as unknown as Type<unknown>,
  optional: false,
  type: new SchemaType<unknown[]>({ kind: "list", item: item.type }, { description }),
});

/** Returns a field that contains an object and may be omitted or null. */
export const nestedFieldSchema = <F extends InputFields>(
  input: Input<F>,
  description: string,
): Field<InputOf<F> | null, true> => ({
  validator: () =>
    input.validator
      // A list satisfies an object type that has no required field.
      .narrow((value) => !Array.isArray(value))
      .describe("an object")
      .or("null") as Type<unknown>,
  optional: true,
  type: new OptionalType(input.type.definition, { description, optional: true, nullable: true }) as never,
});

/** The type of a request body, or of an object in one. */
class Input<F extends InputFields> {
  #validator: Type<object> | undefined;
  /** By the path of a field, since finding a description costs as much as validating many values. */
  readonly #descriptions = new Map<string, string | undefined>();
  /** The names of the required fields. The error for a missing one lists them all. */
  readonly required: readonly string[];
  readonly type: RecordType<Fields>;

  constructor(
    readonly fields: F,
    name?: string,
    /** The names that the error for a missing field lists, where the specification's list has others, too. */
    private readonly listed?: readonly string[],
  ) {
    const entries = Object.entries(fields);
    this.required = entries.filter(([, { optional }]) => !optional).map(([key]) => key);
    const types = entries.map(([key, { type }]) => [key, type]);
    this.type = new RecordType(Object.fromEntries(types) as Fields, name);
  }

  /** Compiled at first use: compiling every input at startup would take a fifth of it. */
  get validator(): Type<object> {
    this.#validator ??= compileApiSchemaObject(
      Object.fromEntries(
        Object.entries(this.fields).map(([key, { validator, optional }]) => [
          optional ? `${key}?` : key,
          validator(),
        ]),
      ),
    );
    return this.#validator;
  }

  /**
   * Returns the input with its type. Unknown fields stay in the result but not in its type. Throws `invalid_request`,
   * whose messages never contain the input.
   */
  parse(input: unknown): InputOf<F> {
    const missing = this.required.filter((name) => isAbsent(input, name));
    if (missing.length > 0)
      throw invalid(
        `${requiredNames(this.listed ?? this.required)} required`,
        missing.map((field) => ({ field, message: "is required" })),
      );
    const result = this.validator(input);
    if (!(result instanceof requireApiSchemaValidators().type.errors)) return result as InputOf<F>;
    const issues = result.slice(0, MAX_ISSUES).map((error) => this.#issueOf(error));
    throw invalid(`${issues[0]!.field} ${issues[0]!.message}`.trim(), issues);
  }

  #issueOf(error: ArkErrors[number]): FieldIssue {
    const field = error.path.join(".");
    return { field: field || "body", message: `must be ${this.#descriptionOf(error) ?? error.expected}` };
  }

  /** Returns the field's own description; undefined for the body as a whole and for an item of a list. */
  #descriptionOf({ path }: ArkErrors[number]): string | undefined {
    const keys = path.filter((key): key is string => typeof key === "string");
    if (keys.length === 0 || keys.length < path.length) return undefined;
    const field = keys.join(".");
    if (!this.#descriptions.has(field)) this.#descriptions.set(field, descriptionAt(this.validator, keys));
    return this.#descriptions.get(field);
  }
}

/** Returns an input that has its own entry in the API document. */
export const inputSchema = <const F extends InputFields>(
  name: string,
  fields: F,
  listed?: readonly string[],
) => new Input(fields, name, listed);

/** Returns an input that the API document describes with its operation. */
export const bodySchema = <const F extends InputFields>(fields: F) => new Input(fields);

/** Returns `a and b`, or `a, b, c` for any other number of names: the format of the specification's messages. */
function requiredNames(names: readonly string[]): string {
  return names.length === 2 ? names.join(" and ") : names.join(", ");
}

function isAbsent(input: unknown, name: string): boolean {
  if (typeof input !== "object" || input === null || !Object.hasOwn(input, name)) return true;
  const value = (input as Record<string, unknown>)[name];
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

/** Returns the description of a field. arktype's error for a union repeats the input or describes a single branch. */
function descriptionAt(validator: Type<object>, keys: readonly string[]): string | undefined {
  try {
    const described = (validator as unknown as { get(...keys: string[]): { description: string } }).get(
      ...keys,
    );
    return described.description
      .replace(/^undefined, /, "")
      .replace(/,? (undefined )?or (null|undefined)$/, "")
      .replace(/, undefined$/, "");
  } catch {
    return undefined;
  }
}

/** Returns the trimmed text, or null if it is empty. */
export function schemaTextOrNull(value: string | null | undefined): string | null {
  const text = value?.trim();
  return text ? text : null;
}
