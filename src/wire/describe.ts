import { checkedSchema } from "./checked-schema.ts";
import type { Fields, Form, KnownSet, Make } from "./kit.ts";
import type { Schema } from "./schema.ts";

/** The schemas of the records that have a name, gathered as they are met. */
export class NamedSchemas extends Map<string, Schema> {
  /** `known`: what the knowledge base holds of its sets. */
  constructor(
    readonly known: Readonly<Record<KnownSet, readonly string[]>> = { ClaimType: [], SmartEventType: [] },
  ) {
    super();
  }

  readonly #names = new Map<Make, string>();
  readonly #nullable = new Map<Make, string>();

  /** The name of a record without one: of the place where it was met first. */
  nameAt(make: Make, place: string, nullable = false): string {
    const names = nullable ? this.#nullable : this.#names;
    const name = names.get(make) ?? place;
    if (!names.has(make) && this.has(name)) throw new Error(`two records would be named ${name}`);
    names.set(make, name);
    return name;
  }
}

const pascal = (name: string) =>
  name.replace(/(?:^|[^A-Za-z0-9])(\w)/g, (_, letter: string) => letter.toUpperCase());
const within = (place: string | undefined, name: string) => place && place + pascal(name);

/**
 * The form's schema. A record is a reference: by its own name, or else by that of the place where it stands, such as
 * `ListAlertsReply`; without a place it stands there whole.
 */
export function schemaOf(form: Form<unknown>, names: NamedSchemas, place?: string): Schema {
  const { words, example, nullable } = form.about;
  const plain = plainSchemaOf(form, names, place);
  // Beside a reference nothing else may stand in OpenAPI 3.0.
  const schema: Schema = plain.$ref && (words !== undefined || nullable) ? { allOf: [plain] } : { ...plain };
  if (nullable) {
    schema.nullable = true;
    if (schema.allOf) schema.type = "object";
    // A nullable enum names null among its values, or the null would be refused.
    if (schema.enum) schema.enum = [...schema.enum, null];
  }
  if (words !== undefined && words !== "") schema.description = words;
  if (example !== undefined) schema.example = example;
  return schema;
}

function plainSchemaOf({ make, about }: Form<unknown>, names: NamedSchemas, place?: string): Schema {
  switch (make.kind) {
    case "value":
      return make.schema;
    case "checked":
      return checkedSchema(make.checked);
    case "known":
      // Any other is taken too: what is known is told for who reads it and for who completes it.
      names.set(make.set, {
        anyOf: [
          { type: "string", enum: names.known[make.set] },
          { type: "string", ...make.others },
        ],
      });
      return { $ref: `#/components/schemas/${make.set}` };
    case "list":
      return { type: "array", items: schemaOf(make.item, names, within(place, "item")) };
    case "map":
      return { type: "object", additionalProperties: schemaOf(make.value, names, within(place, "value")) };
    case "either":
      return { anyOf: make.forms.map((form, at) => schemaOf(form, names, within(place, String(at + 1)))) };
    case "record": {
      const name = make.name ?? (place && names.nameAt(make, place, about.nullable));
      if (name === undefined) return objectSchema(make.fields, names);
      if (!names.has(name)) {
        names.set(name, {}); // Its place is before what it refers to.
        const schema = objectSchema(make.fields, names, name);
        // Beside the reference it would not let null pass.
        if (make.name === undefined && about.nullable) schema.nullable = true;
        names.set(name, schema);
      }
      return { $ref: `#/components/schemas/${name}` };
    }
  }
}

function objectSchema(fields: Fields, names: NamedSchemas, place?: string): Schema {
  const entries = Object.entries(fields);
  const required = entries.filter(([, { about }]) => !about.optional).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, form]) => [name, schemaOf(form, names, within(place, name))]),
    ),
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
    case "known":
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
