import { checkedSchema } from "./checked-schema.ts";
import type { Form } from "./kit.ts";
import type { Schema } from "./schema.ts";

/** The schemas of the records that have a name, gathered as they are met. */
export type NamedSchemas = Map<string, Schema>;

/** The form's schema. A record with a name is a reference to it. */
export function schemaOf(form: Form<unknown>, names: NamedSchemas): Schema {
  const { words, example, nullable } = form.about;
  const plain = plainSchemaOf(form, names);
  // Beside a reference nothing else may stand in OpenAPI 3.0.
  const schema: Schema = plain.$ref && (words !== undefined || nullable) ? { allOf: [plain] } : { ...plain };
  if (nullable) {
    schema.nullable = true;
    // A nullable enum names null among its values, or the null would be refused.
    if (schema.enum) schema.enum = [...schema.enum, null];
  }
  if (words !== undefined && words !== "") schema.description = words;
  if (example !== undefined) schema.example = example;
  return schema;
}

function plainSchemaOf({ make }: Form<unknown>, names: NamedSchemas): Schema {
  switch (make.kind) {
    case "value":
      return make.schema;
    case "checked":
      return checkedSchema(make.checked);
    case "list":
      return { type: "array", items: schemaOf(make.item, names) };
    case "map":
      return { type: "object", additionalProperties: schemaOf(make.value, names) };
    case "either":
      return { anyOf: make.forms.map((form) => schemaOf(form, names)) };
    case "record": {
      const { name, fields } = make;
      if (name === undefined) return objectSchema(fields, names);
      if (!names.has(name)) {
        names.set(name, {}); // Its place is before what it refers to.
        names.set(name, objectSchema(fields, names));
      }
      return { $ref: `#/components/schemas/${name}` };
    }
  }
}

function objectSchema(fields: Readonly<Record<string, Form<unknown>>>, names: NamedSchemas): Schema {
  const entries = Object.entries(fields);
  const required = entries.filter(([, { about }]) => !about.optional).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, form]) => [name, schemaOf(form, names)])),
    ...(required.length > 0 && { required }),
  };
}

/** An example of the form, made from the examples of its fields; undefined where there is none. */
export function exampleOf({ make, about }: Form<unknown>): unknown {
  if (about.example !== undefined) return about.example;
  switch (make.kind) {
    case "value":
      return make.schema.enum?.[0];
    case "checked":
      return undefined;
    case "list": {
      const item = exampleOf(make.item);
      return item === undefined ? [] : [item];
    }
    case "map":
      return {};
    case "either":
      return exampleOf(make.forms[0]!);
    case "record":
      return Object.fromEntries(
        Object.entries(make.fields).map(([name, form]) => [name, exampleOf(form) ?? null]),
      );
  }
}
