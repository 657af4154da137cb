import type { Schema } from "./api-schema-to-json-schema.ts";
import { TEXT_BOUNDS } from "./schema-text-bounds.ts";

/** The part of an arktype type that the API document needs. */
export type Validator = {
  toJsonSchema(options: {
    fallback: {
      predicate: (context: { base: object; predicate: unknown }) => object;
      default: (context: { base: object }) => object;
    };
  }): object;
};

type Json = Record<string, unknown>;

/**
 * Returns the validator as a schema of OpenAPI 3.0.3, which has booleans for exclusive bounds and no `const`. Checks
 * that JSON Schema cannot express are left to the field's description; null and absence are left to the field's type.
 */
export function apiSchemaOfInputValidator(validator: Validator): Schema {
  const json = validator.toJsonSchema({
    fallback: {
      predicate: ({ base, predicate }) => ({ ...base, ...TEXT_BOUNDS.get(predicate) }),
      default: ({ base }) => base,
    },
  }) as Json;
  return convert(json);
}

function convert(json: Json): Schema {
  const branches = (json.anyOf ?? json.oneOf) as Json[] | undefined;
  if (branches) return convertUnion(branches);
  const schema: Schema = {};
  if (typeof json.type === "string") schema.type = json.type;
  if ("const" in json) Object.assign(schema, enumOf([json.const]));
  if (Array.isArray(json.enum)) Object.assign(schema, enumOf(json.enum));
  for (const name of ["pattern", "minimum", "maximum", "minLength", "maxLength", "maxItems"] as const)
    if (json[name] !== undefined) Object.assign(schema, { [name]: json[name] });
  if (json.exclusiveMinimum !== undefined)
    Object.assign(schema, { minimum: json.exclusiveMinimum, exclusiveMinimum: true });
  if (json.exclusiveMaximum !== undefined)
    Object.assign(schema, { maximum: json.exclusiveMaximum, exclusiveMaximum: true });
  if (json.items) schema.items = convert(json.items as Json);
  if (json.type === "array" && !json.items) schema.items = {};
  const format = schema.pattern && FORMATS.get(schema.pattern);
  if (format) schema.format = format;
  return schema;
}

const FORMATS: ReadonlyMap<string, string> = new Map([["^\\d{4}-\\d{2}-\\d{2}$", "date"]]);

function convertUnion(branches: Json[]): Schema {
  const constants = branches.every((branch) => "const" in branch || Array.isArray(branch.enum));
  return constants
    ? enumOf(branches.flatMap((branch) => (Array.isArray(branch.enum) ? branch.enum : [branch.const])))
    : { anyOf: branches.map(convert) };
}

function enumOf(values: unknown[]): Schema {
  if (values.length === 2 && values.every((value) => typeof value === "boolean")) return { type: "boolean" };
  return { type: typeof values[0], enum: values };
}
