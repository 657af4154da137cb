import { EXAMPLE_IDS, FIELD_DOCS } from "./field-docs.ts";
import type { Schema } from "./schema.ts";

/** Gives every field of an object schema its description and example. `owner` is the object's name, if it has one. */
export function annotate(schema: Schema, owner?: string): Schema {
  const copy = { ...schema };
  if (copy.items) copy.items = annotate(copy.items, owner);
  if (copy.anyOf) copy.anyOf = copy.anyOf.map((branch) => annotate(branch, owner));
  if (typeof copy.additionalProperties === "object")
    copy.additionalProperties = annotate(copy.additionalProperties, owner);
  if (copy.properties)
    copy.properties = Object.fromEntries(
      Object.entries(copy.properties).map(([name, value]) => [name, field(name, annotate(value), owner)]),
    );
  return copy;
}

function field(name: string, schema: Schema, owner: string | undefined): Schema {
  const doc = FIELD_DOCS[`${owner}.${name}`] ?? FIELD_DOCS[name];
  if (!doc) return schema;
  const [description, usual] = doc;
  const { pattern } = schema;
  const example =
    pattern === undefined || fits(usual, schema)
      ? usual
      : EXAMPLE_IDS.find((id) => new RegExp(pattern).test(id));
  // Beside a reference nothing else may stand in OpenAPI 3.0.
  if (schema.$ref) return { allOf: [schema], description } as Schema;
  return example !== undefined && fits(example, schema)
    ? { ...schema, description, example }
    : { ...schema, description };
}

/** An example of the schema, made from the examples of its fields; undefined where one of them has none that fits. */
export function exampleOf(schema: Schema, resolve: (name: string) => Schema): unknown {
  const referred = schema.$ref ?? (schema as { allOf?: Schema[] }).allOf?.[0]?.$ref;
  if (referred) return exampleOf(resolve(referred.slice(referred.lastIndexOf("/") + 1)), resolve);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return exampleOf(schema.anyOf[0]!, resolve);
  if (schema.type === "array") {
    const item = exampleOf(schema.items ?? {}, resolve);
    return item === undefined ? [] : [item];
  }
  if (schema.type === "object") {
    const example: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(schema.properties ?? {}))
      example[name] = exampleOf(value, resolve) ?? null;
    return example;
  }
  if (schema.nullable) return null;
  if (schema.type === "boolean") return true;
  if (schema.type === "integer" || schema.type === "number") return Math.max(schema.minimum ?? 0, 0);
  return schema.type === "string" && !schema.pattern ? "" : undefined;
}

function fits(example: unknown, schema: Schema): boolean {
  if (schema.enum) return schema.enum.includes(example);
  if (schema.pattern) return typeof example === "string" && new RegExp(schema.pattern).test(example);
  if (schema.type === "integer") return Number.isInteger(example);
  if (schema.type === "array") return Array.isArray(example) && schema.items?.type === "string";
  return typeof example === schema.type;
}
