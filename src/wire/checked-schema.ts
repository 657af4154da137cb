import type { Schema } from "./schema.ts";
import { TEXT_BOUNDS } from "./values.ts";

/** What is checked, as far as the document needs it. */
export type Checked = {
  toJsonSchema(options: {
    fallback: {
      predicate: (context: { base: object; predicate: unknown }) => object;
      default: (context: { base: object }) => object;
    };
  }): object;
};

type Json = Record<string, unknown>;

/**
 * What is checked as a schema of OpenAPI 3.0.3, which has `nullable` where JSON Schema has a null type, booleans for
 * exclusive bounds, and no `const`. What is checked beyond JSON Schema stands in its description.
 */
export function checkedSchema(checked: Checked): Schema {
  const json = checked.toJsonSchema({
    fallback: {
      predicate: ({ base, predicate }) => ({ ...base, ...TEXT_BOUNDS.get(predicate) }),
      default: ({ base }) => base,
    },
  }) as Json;
  return convert(json);
}

function convert(json: Json): Schema {
  const branches = (json.anyOf ?? json.oneOf) as Json[] | undefined;
  if (branches) return convertUnion(branches, json);
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
  if (json.properties) {
    schema.properties = Object.fromEntries(
      Object.entries(json.properties as Record<string, Json>).map(([name, value]) => [name, convert(value)]),
    );
    const required = json.required as string[] | undefined;
    if (required && required.length > 0) schema.required = required;
  }
  if (json.additionalProperties && typeof json.additionalProperties === "object")
    schema.additionalProperties = convert(json.additionalProperties as Json);
  if (schema.pattern) schema.format = FORMATS.get(schema.pattern);
  if (schema.format === undefined) delete schema.format;
  return schema;
}

const FORMATS: ReadonlyMap<string, string> = new Map([
  ["^\\d{4}-\\d{2}-\\d{2}$", "date"],
  ["^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$", "date-time"],
]);

function convertUnion(branches: Json[], json: Json): Schema {
  const isNull = (branch: Json) => branch.type === "null" || branch.const === null;
  const rest = branches.filter((branch) => !isNull(branch));
  const nullable = rest.length < branches.length;
  const constants = rest.every((branch) => "const" in branch || Array.isArray(branch.enum));
  const schema: Schema = constants
    ? enumOf(rest.flatMap((branch) => (Array.isArray(branch.enum) ? branch.enum : [branch.const])))
    : rest.length === 1
      ? convert({ ...json, anyOf: undefined, oneOf: undefined, ...rest[0] })
      : { anyOf: rest.map(convert) };
  if (!nullable) return schema;
  // A nullable enum names null among its values, or the null would be refused.
  return schema.enum ? { ...schema, enum: [...schema.enum, null], nullable } : { ...schema, nullable };
}

function enumOf(values: unknown[]): Schema {
  if (values.length === 2 && values.every((value) => typeof value === "boolean")) return { type: "boolean" };
  return { type: typeof values[0], enum: values };
}
