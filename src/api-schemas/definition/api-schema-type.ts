import type { Validator } from "./api-schema-input-validator.ts";
import type { Schema } from "./api-schema-to-json-schema.ts";

/*
 * The types of request and response bodies. One expression gives a field's TypeScript type, description, unit and
 * example; the API document and its examples are derived from it. The values are plain objects: nothing is validated
 * when a response is made, and nothing is computed when the server starts.
 */

/** The open enumerations whose known values come from the knowledge base, by their names in the API document. */
export type OpenEnumName = "ClaimType" | "SmartEventType";

/** The bounds of a value that an open enumeration does not list. */
export type OpenEnumText = Pick<Schema, "pattern" | "maxLength">;

/** The kind of a type, with its parts. */
export type TypeDefinition =
  | { kind: "value"; schema: Schema }
  /** A request field, whose schema is derived from its validator. */
  | { kind: "validated"; validator: () => Validator }
  | { kind: "openEnum"; set: OpenEnumName; others: OpenEnumText }
  | { kind: "list"; item: SchemaType<unknown> }
  | { kind: "map"; value: SchemaType<unknown> }
  | { kind: "anyOf"; types: readonly SchemaType<unknown>[] }
  | { kind: "record"; name: string | undefined; fields: Fields };

type Annotations = {
  description?: string | undefined;
  example?: unknown;
  nullable?: boolean;
  optional?: boolean;
};

declare const written: unique symbol;

/** The type of a JSON value in a request or response; `T` is its TypeScript type. Immutable. */
export class SchemaType<out T> {
  declare readonly [written]: T;

  constructor(
    readonly definition: TypeDefinition,
    readonly annotations: Annotations = {},
  ) {}

  /** Returns a type that also admits null. */
  orNull(): SchemaType<T | null> {
    return new SchemaType(this.definition, { ...this.annotations, nullable: true });
  }

  /** Returns the type of a field that is omitted when it has no value. */
  orAbsent(): OptionalType<T> {
    return new OptionalType(this.definition, { ...this.annotations, optional: true });
  }

  /** Returns the type with another description, for a field that gives the value another meaning. */
  describedAs(description: string, example: unknown = this.annotations.example): SchemaType<T> {
    return new SchemaType(this.definition, { ...this.annotations, description, example });
  }
}

/** The type of a field that may be omitted. */
export class OptionalType<out T> extends SchemaType<T> {
  declare readonly mayBeAbsent: true;
}

/** The fields of an object by name. */
export type Fields = Readonly<Record<string, SchemaType<unknown>>>;

/** The TypeScript type of the values of a schema type. */
export type JsonOf<W> = W extends SchemaType<infer T> ? T : never;

type Flat<T> = { [K in keyof T]: T[K] };
type AbsentNames<F extends Fields> = {
  [K in keyof F]: F[K] extends OptionalType<unknown> ? K : never;
}[keyof F];
/** The value of an object with these fields. */
export type RecordOf<F extends Fields> = Flat<
  { [K in Exclude<keyof F, AbsentNames<F>>]: JsonOf<F[K]> } & { [K in AbsentNames<F>]?: JsonOf<F[K]> }
>;

/** `Given` if it has no field that `Json` lacks, at any depth; otherwise a type that no value has. */
type Exact<Json, Given> = Given extends readonly (infer GivenItem)[]
  ? Json extends readonly (infer JsonItem)[]
    ? readonly Exact<JsonItem, GivenItem>[]
    : Given
  : Given extends object
    ? {
        [K in keyof Given]: K extends keyof NonNullable<Json>
          ? Exact<NonNullable<Json>[K], Given[K]>
          : "the record has no such field";
      }
    : Given;

/** The type of an object with a fixed set of fields. */
export class RecordType<F extends Fields> extends SchemaType<RecordOf<F>> {
  constructor(
    readonly fields: F,
    readonly name?: string,
  ) {
    super({ kind: "record", name, fields });
  }

  /**
   * Returns `serialize` unchanged, and has `tsc` check what it returns: a missing field, an additional one (even one
   * that comes from a spread) and a field of another type are errors.
   */
  serializer<Given extends readonly unknown[], Made extends RecordOf<F>>(
    serialize: (...given: Given) => Made & Exact<RecordOf<F>, Made>,
  ): (...given: Given) => RecordOf<F> {
    return serialize;
  }

  /** Returns an unnamed record type with these fields and `more`. */
  and<More extends Fields>(more: More): RecordType<Omit<F, keyof More> & More> {
    return new RecordType({ ...this.fields, ...more } as Omit<F, keyof More> & More);
  }
}
