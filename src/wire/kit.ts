import type { Checked } from "./checked-schema.ts";
import type { Schema } from "./schema.ts";

/*
 * What goes out, said once: each field with its type, its words, its unit and an example in one expression, of which
 * TypeScript's type, the API document and its examples follow. Plain values: nothing is checked when a reply is made,
 * and nothing is worked out when the server starts.
 */

/** Sets that the knowledge base holds, by the names that the API document has for them. */
export type KnownSet = "ClaimType" | "SmartEventType";

/** The form of what such a set does not hold. */
export type OtherText = Pick<Schema, "pattern" | "maxLength">;

/** What a form is made of. */
export type Make =
  | { kind: "value"; schema: Schema }
  /** A field that comes in, whose schema follows from its check. */
  | { kind: "checked"; checked: Checked }
  /** One of a set that the knowledge base holds, or another text of its form. */
  | { kind: "known"; set: KnownSet; others: OtherText }
  | { kind: "list"; item: Form<unknown> }
  | { kind: "map"; value: Form<unknown> }
  | { kind: "either"; forms: readonly Form<unknown>[] }
  | { kind: "record"; name: string | undefined; fields: Fields };

type About = { words?: string | undefined; example?: unknown; nullable?: boolean; optional?: boolean };

declare const written: unique symbol;

/** A value as it is written on the wire, `T` in TypeScript. */
export class Form<out T> {
  declare readonly [written]: T;

  constructor(
    readonly make: Make,
    readonly about: About = {},
  ) {}

  /** The same value, and null where it is absent. */
  orNull(): Form<T | null> {
    return new Form(this.make, { ...this.about, nullable: true });
  }

  /** Left out where it is absent. */
  orAbsent(): OptionalForm<T> {
    return new OptionalForm(this.make, { ...this.about, optional: true });
  }

  /** The same value in a place where it means something else. Its example stays unless another is given. */
  as(words: string, example: unknown = this.about.example): Form<T> {
    return new Form(this.make, { ...this.about, words, example });
  }
}

/** A field that may be left out. */
export class OptionalForm<out T> extends Form<T> {
  declare readonly mayBeAbsent: true;
}

export type Fields = Readonly<Record<string, Form<unknown>>>;

/** The type of what is written in a form. */
export type WireOf<F> = F extends Form<infer T> ? T : never;

type Flat<T> = { [K in keyof T]: T[K] };
type AbsentNames<F extends Fields> = {
  [K in keyof F]: F[K] extends OptionalForm<unknown> ? K : never;
}[keyof F];
export type RecordOf<F extends Fields> = Flat<
  { [K in Exclude<keyof F, AbsentNames<F>>]: WireOf<F[K]> } & { [K in AbsentNames<F>]?: WireOf<F[K]> }
>;

/** `Given` where it is `Wire` and not one field more, at any depth; else a type that nothing given has. */
export type Exactly<Wire, Given> = Given extends readonly (infer GivenItem)[]
  ? Wire extends readonly (infer WireItem)[]
    ? readonly Exactly<WireItem, GivenItem>[]
    : Given
  : Given extends object
    ? {
        [K in keyof Given]: K extends keyof NonNullable<Wire>
          ? Exactly<NonNullable<Wire>[K], Given[K]>
          : "this field is none of the record's";
      }
    : Given;

/** An object with its fields. */
export class RecordForm<F extends Fields> extends Form<RecordOf<F>> {
  constructor(
    readonly fields: F,
    readonly name?: string,
  ) {
    super({ kind: "record", name, fields });
  }

  /**
   * A function that makes this record: `tsc` refuses it when it leaves a field out, adds one, also by a spread, or
   * gives one of another type. It is handed back as it is.
   */
  view<Given extends readonly unknown[], Made extends RecordOf<F>>(
    make: (...given: Given) => Made & Exactly<RecordOf<F>, Made>,
  ): (...given: Given) => RecordOf<F> {
    return make;
  }

  /** These fields and others, as one object that has no name of its own. */
  and<More extends Fields>(more: More): RecordForm<Omit<F, keyof More> & More> {
    return new RecordForm({ ...this.fields, ...more } as Omit<F, keyof More> & More);
  }
}

/** A record that the API document names: it is written there once, and referred to. */
export const record = <const F extends Fields>(name: string, fields: F) => new RecordForm(fields, name);

/** An object in one place. */
export const object = <const F extends Fields>(fields: F) => new RecordForm(fields);

export const list = <T>(words: string, item: Form<T>): Form<T[]> =>
  new Form({ kind: "list", item }, { words });

/** An object whose fields are named by what it holds, such as a count for each type. */
export const mapOf = <T>(words: string, value: Form<T>): Form<Record<string, T>> =>
  new Form({ kind: "map", value }, { words });

const value = <T>(schema: Schema, words: string, example?: unknown): Form<T> =>
  new Form({ kind: "value", schema }, { words, example });

/** An object whose fields are told elsewhere. */
export const anyObject = (words: string) => value<Record<string, unknown>>({ type: "object" }, words);

/** One of several records. */
export const either = <const All extends readonly Form<unknown>[]>(
  ...forms: All
): Form<WireOf<All[number]>> => new Form({ kind: "either", forms });

export const text = (words: string, example?: string) => value<string>({ type: "string" }, words, example);
export const texts = (words: string, example: readonly string[] = []) =>
  new Form<readonly string[]>(
    { kind: "list", item: value<string>({ type: "string" }, "") },
    { words, example },
  );
export const flag = (words: string, example = true) => value<boolean>({ type: "boolean" }, words, example);
/** Always true: the answer says so for a reader's eye. */
export const yes = (words: string) => value<true>({ type: "boolean", enum: [true] }, words, true);
/** One of a closed set. */
export const oneOf = <const V extends string>(values: readonly V[], words: string, example: V = values[0]!) =>
  value<V>({ type: "string", enum: [...values] }, words, example);

/** One of a set that the knowledge base holds and callers may go beyond. */
export const known = (set: KnownSet, others: OtherText, words: string, example: string) =>
  new Form<string>({ kind: "known", set, others }, { words, example });

type Bounds = Pick<Schema, "minimum" | "maximum">;
export const number = (words: string, example: number, bounds: Bounds = {}) =>
  value<number>({ type: "number", ...bounds }, words, example);
export const integer = (words: string, example: number, bounds: Bounds = {}) =>
  value<number>({ type: "integer", ...bounds }, words, example);
/** A whole number that is not negative: a count, a year, a number of days. */
export const whole = (words: string, example: number) => integer(words, example, { minimum: 0 });
/** Money in US dollars, with at most two decimals; the words need not say so. */
export const usd = (words: string, example: number) => number(`${words}, in USD`, example);

const DAY_SCHEMA: Schema = { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$", format: "date" };
const INSTANT_SCHEMA: Schema = {
  type: "string",
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$",
  format: "date-time",
};
/** A calendar day in UTC. */
export const day = (words: string, example = "2026-10-02") => value<string>(DAY_SCHEMA, words, example);
/** A moment in UTC with milliseconds. */
export const instant = (words: string, example = "2026-11-21T03:00:00.000Z") =>
  value<string>(INSTANT_SCHEMA, words, example);

/** An id of each kind. */
export const EXAMPLE_IDS = {
  P: "P_01m7xtfcg7e14a5g7edqadn8kz",
  U: "U_01m7xtfcg7e3x9y2k4n6q8s0va",
  A: "A_01m7xtg2ygf8k9f4t40jrqnxfy",
  C: "C_01m7xtg2ygfbvrca1mbjrm54pr",
  SE: "SE_01m7xtg343es99m1g51kgttpdd",
  CLM: "CLM_01m7xtg343ff0b7c2d4e6g8hjk",
  PE: "PE_01m7xtxyz5fyas2zfab4srf5qn",
  PH: "PH_01m7xtxyz5g1h3j5k7m9npqrst",
  EMB: "EMB_01m7xtxyz5h4q6s8t0v2w4x6yz",
  PARTNER: "PARTNER_01m7xtb1x0e2mav3k9q8w7r6t5",
  ADM: "ADM_01m7xtb1x0f4s8c6y2n1h0g9j7",
} as const;

/** An id of the kind that its prefix tells. */
export const id = (prefix: keyof typeof EXAMPLE_IDS, words: string) =>
  value<string>(
    { type: "string", pattern: `^${prefix}_[0-9a-hjkmnp-tv-z]{26}$` },
    words,
    EXAMPLE_IDS[prefix],
  );
