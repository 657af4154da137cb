import type { Schema } from "./api-schema-to-json-schema.ts";
import {
  type Fields,
  type JsonOf,
  type OpenEnumName,
  type OpenEnumText,
  RecordType,
  SchemaType,
} from "./api-schema-type.ts";

/* The types that fields are declared with. Every description becomes a line of the API document. */

/** The type of a record that has its own entry in the API document, to which others refer. */
export const recordSchema = <const F extends Fields>(name: string, fields: F) => new RecordType(fields, name);

/** The type of an object that the API document describes in place. */
export const objectSchema = <const F extends Fields>(fields: F) => new RecordType(fields);

export const listSchema = <T>(description: string, item: SchemaType<T>): SchemaType<readonly T[]> =>
  new SchemaType({ kind: "list", item }, { description });

/** The type of an object whose keys are data, such as a count for each component type. */
export const mapSchema = <T>(description: string, value: SchemaType<T>): SchemaType<Record<string, T>> =>
  new SchemaType({ kind: "map", value }, { description });

const value = <T>(schema: Schema, description: string, example?: unknown): SchemaType<T> =>
  new SchemaType({ kind: "value", schema }, { description, example });

/** The type of an object whose fields the API document does not list. */
export function anyObjectSchema(description: string): SchemaType<Record<string, unknown>>;
export function anyObjectSchema<T extends object>(description: string): SchemaType<T>;
export function anyObjectSchema(description: string): SchemaType<Record<string, unknown>> {
  return value({ type: "object" }, description);
}

export const anyOfSchema = <const All extends readonly SchemaType<unknown>[]>(
  ...types: All
): SchemaType<JsonOf<All[number]>> => new SchemaType({ kind: "anyOf", types });

export const textSchema = (description: string, example?: string) =>
  value<string>({ type: "string" }, description, example);
export const textListSchema = (description: string, example: readonly string[] = []) =>
  new SchemaType<readonly string[]>(
    { kind: "list", item: value<string>({ type: "string" }, "") },
    { description, example },
  );
export const numberListSchema = (description: string, example: readonly number[]) =>
  new SchemaType<readonly number[]>(
    { kind: "list", item: value<number>({ type: "number" }, "") },
    { description, example },
  );
export const flagSchema = (description: string, example = true) =>
  value<boolean>({ type: "boolean" }, description, example);
/** The type of a field that is always true and is there for human readers of a response. */
export const alwaysTrueSchema = (description: string) =>
  value<true>({ type: "boolean", enum: [true] }, description, true);
export const enumSchema = <const V extends string>(
  values: readonly V[],
  description: string,
  example: V = values[0]!,
) => value<V>({ type: "string", enum: [...values] }, description, example);

/** The type of a text that is usually one of the known values of `set`; requests may contain others. */
export const openEnumSchema = (
  set: OpenEnumName,
  others: OpenEnumText,
  description: string,
  example: string,
) => new SchemaType<string>({ kind: "openEnum", set, others }, { description, example });

type Bounds = Pick<Schema, "minimum" | "maximum">;
export const numberSchema = (description: string, example: number, bounds: Bounds = {}) =>
  value<number>({ type: "number", ...bounds }, description, example);
export const integerSchema = (description: string, example: number, bounds: Bounds = {}) =>
  value<number>({ type: "integer", ...bounds }, description, example);
/** The type of a count, a year, or any other integer that is not negative. */
export const wholeNumberSchema = (description: string, example: number) =>
  integerSchema(description, example, { minimum: 0 });
/** The type of an amount of money with at most two decimals. Adds the currency to the description. */
export const usdSchema = (description: string, example: number) =>
  numberSchema(`${description}, in USD`, example);

const DAY_SCHEMA: Schema = { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$", format: "date" };
const INSTANT_SCHEMA: Schema = {
  type: "string",
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$",
  format: "date-time",
};
/** The type of a calendar day in UTC. */
export const daySchema = (description: string, example = "2026-10-02") =>
  value<string>(DAY_SCHEMA, description, example);
/** The type of a moment in UTC with milliseconds. */
export const instantSchema = (description: string, example = "2026-11-21T03:00:00.000Z") =>
  value<string>(INSTANT_SCHEMA, description, example);

/** An example ID for each prefix. */
export const EXAMPLE_IDS = {
  P: "P_01m7xtfcg7e14a5g7edqadn8kz",
  U: "U_01m7xtfcg7e3x9y2k4n6q8s0va",
  A: "A_01m7xtg2ygf8k9f4t40jrqnxfy",
  C: "C_01m7xtg2ygfbvrca1mbjrm54pr",
  SE: "SE_01m7xtg343es99m1g51kgttpdd",
  CLM: "CLM_01m7xtg343ff0b7c2d4e6g8hjk",
  CST: "CST_01m7xtg343g3c9e5f7h1k2m4np",
  PE: "PE_01m7xtxyz5fyas2zfab4srf5qn",
  PH: "PH_01m7xtxyz5g1h3j5k7m9npqrst",
  EMB: "EMB_01m7xtxyz5h4q6s8t0v2w4x6yz",
  PARTNER: "PARTNER_01m7xtb1x0e2mav3k9q8w7r6t5",
  ADM: "ADM_01m7xtb1x0f4s8c6y2n1h0g9j7",
} as const;

/** The type of an ID with the given prefix. */
export const idSchema = (prefix: keyof typeof EXAMPLE_IDS, description: string) =>
  value<string>(
    { type: "string", pattern: `^${prefix}_[0-9a-hjkmnp-tv-z]{26}$` },
    description,
    EXAMPLE_IDS[prefix],
  );
