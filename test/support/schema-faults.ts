import { fullFormats } from "ajv-formats/dist/formats.js";
import { type ApiDocument, resolve, type Schema } from "./api-document.ts";

type Check = (value: never) => boolean;

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

const FORMATS: Readonly<Record<string, Check>> = {
  date: (fullFormats.date as { validate: Check }).validate,
  "date-time": (fullFormats["date-time"] as { validate: Check }).validate,
};

/** The keywords that are compared, and those that say nothing about a value. */
export const SCHEMA_KEYWORDS: readonly string[] = [
  ...["$ref", "type", "format", "nullable", "enum", "pattern", "minLength", "maxLength"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "maxItems", "items"],
  ...["properties", "required", "additionalProperties", "anyOf", "allOf"],
  ...["description", "example"],
];
export const SCHEMA_FORMATS: readonly string[] = [...Object.keys(FORMATS), "binary"];

/**
 * Returns what is wrong with a JSON value by a schema of the document, each with its path in the value. An object with
 * documented properties has no other. Interprets the schema: compiling its validator takes a hundred times as long as
 * comparing the few bodies that a test file gets of it.
 */
export function schemaFaults(document: ApiDocument, schema: Schema, value: unknown): string[] {
  const comparison = new Comparison(document);
  comparison.compare(schema, value, "");
  return comparison.faults;
}

class Comparison {
  readonly faults: string[] = [];

  constructor(private readonly document: ApiDocument) {}

  compare(schema: Schema, value: unknown, at: string): void {
    if (schema.nullable && value === null) return;
    if (schema.$ref) {
      this.compare(resolve(this.document, schema), value, at);
      return;
    }
    const { type, enum: values, allOf = [], anyOf } = schema;
    for (const one of allOf) this.compare(one, value, at);
    if (anyOf?.every((one) => schemaFaults(this.document, one, value).length > 0))
      this.#fail(at, "must match a schema in anyOf");
    if (values && !values.includes(value)) this.#fail(at, "must be equal to one of the allowed values");
    if (type && !TYPES[type]!(value)) this.#fail(at, `must be ${type}`);
    else if (typeof value === "string") this.#compareText(schema, value, at);
    else if (typeof value === "number") this.#compareNumber(schema, value, at);
    else if (Array.isArray(value)) this.#compareList(schema, value, at);
    else if (typeof value === "object" && value !== null) this.#compareObject(schema, value, at);
  }

  #compareText({ minLength = 0, maxLength = Infinity, pattern, format }: Schema, value: string, at: string) {
    // Code points, which are no more than code units.
    const length = minLength > 0 || value.length > maxLength ? [...value].length : value.length;
    if (length < minLength) this.#fail(at, `must NOT have fewer than ${minLength} characters`);
    if (length > maxLength) this.#fail(at, `must NOT have more than ${maxLength} characters`);
    if (pattern !== undefined && !new RegExp(pattern, "u").test(value))
      this.#fail(at, `must match pattern "${pattern}"`);
    if (format !== undefined && FORMATS[format]?.(value as never) === false)
      this.#fail(at, `must match format "${format}"`);
  }

  #compareNumber(
    { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum }: Schema,
    value: number,
    at: string,
  ) {
    if (exclusiveMinimum ? value <= minimum : value < minimum)
      this.#fail(at, `must be ${exclusiveMinimum ? ">" : ">="} ${minimum}`);
    if (exclusiveMaximum ? value >= maximum : value > maximum)
      this.#fail(at, `must be ${exclusiveMaximum ? "<" : "<="} ${maximum}`);
  }

  #compareList({ items, maxItems = Infinity }: Schema, value: readonly unknown[], at: string) {
    if (value.length > maxItems) this.#fail(at, `must NOT have more than ${maxItems} items`);
    if (items) for (const [nth, item] of value.entries()) this.compare(items, item, `${at}/${nth}`);
  }

  #compareObject({ properties, required = [], additionalProperties }: Schema, value: object, at: string) {
    for (const name of required)
      if (!Object.hasOwn(value, name)) this.#fail(at, `must have required property '${name}'`);
    for (const [name, field] of Object.entries(value)) {
      const isKnown = properties !== undefined && Object.hasOwn(properties, name);
      const schema = isKnown ? properties[name] : additionalProperties;
      if (typeof schema === "object") this.compare(schema, field, `${at}/${name}`);
      else if (properties || schema === false) this.#fail(at, `must NOT have additional properties: ${name}`);
    }
  }

  #fail(at: string, what: string): void {
    this.faults.push(`${at || "the body"} ${what}`);
  }
}
