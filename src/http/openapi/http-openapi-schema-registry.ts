import { apiSchemaOfInputValidator } from "../../api-schemas/definition/api-schema-input-validator.ts";
import type { Schema } from "../../api-schemas/definition/api-schema-to-json-schema.ts";
import type {
  Fields,
  OpenEnumName,
  SchemaType,
  TypeDefinition,
} from "../../api-schemas/definition/api-schema-type.ts";

/** The schemas of the API document's `components`, in the order in which they are first referenced. */
export class OpenApiSchemaRegistry extends Map<string, Schema> {
  /** `known`: the values of the open enumerations in the knowledge base. */
  constructor(
    readonly known: Readonly<Record<OpenEnumName, readonly string[]>> = { ClaimType: [], SmartEventType: [] },
  ) {
    super();
  }

  readonly #names = new Map<TypeDefinition, string>();
  readonly #nullableNames = new Map<TypeDefinition, string>();

  /** Returns the name of an unnamed record: the place of its first use. */
  nameAt(definition: TypeDefinition, place: string, nullable = false): string {
    const names = nullable ? this.#nullableNames : this.#names;
    const name = names.get(definition) ?? place;
    if (!names.has(definition) && this.has(name)) throw new Error(`two records would be named ${name}`);
    names.set(definition, name);
    return name;
  }
}

const pascal = (name: string) =>
  name.replace(/(?:^|[^A-Za-z0-9])(\w)/g, (_, letter: string) => letter.toUpperCase());
const within = (place: string | undefined, name: string) => place && place + pascal(name);

/**
 * Returns the schema of a type. A record becomes a reference, by its own name or else by the name of its place, such as
 * `ListAlertsReply`; an unnamed record without a place is described inline.
 */
export function openApiSchemaOf(
  type: SchemaType<unknown>,
  registry: OpenApiSchemaRegistry,
  place?: string,
): Schema {
  const { description, example, nullable } = type.annotations;
  const plain = plainSchemaOf(type, registry, place);
  // OpenAPI 3.0 ignores everything beside a reference.
  const schema: Schema =
    plain.$ref && (description !== undefined || nullable) ? { allOf: [plain] } : { ...plain };
  if (nullable) {
    schema.nullable = true;
    if (schema.allOf) schema.type = "object";
    // A nullable enum must list null among its values.
    if (schema.enum) schema.enum = [...schema.enum, null];
  }
  if (description !== undefined && description !== "") schema.description = description;
  if (example !== undefined) schema.example = example;
  return schema;
}

function plainSchemaOf(
  { definition, annotations }: SchemaType<unknown>,
  registry: OpenApiSchemaRegistry,
  place?: string,
): Schema {
  switch (definition.kind) {
    case "value":
      return definition.schema;
    case "validated":
      return apiSchemaOfInputValidator(definition.validator());
    case "openEnum":
      // The known values are for readers and for completion in editors: the second branch admits any other.
      registry.set(definition.set, {
        anyOf: [
          { type: "string", enum: registry.known[definition.set] },
          { type: "string", ...definition.others },
        ],
      });
      return { $ref: `#/components/schemas/${definition.set}` };
    case "list":
      return {
        type: "array",
        items: openApiSchemaOf(definition.item, registry, within(place, "item")),
      };
    case "map":
      return {
        type: "object",
        additionalProperties: openApiSchemaOf(definition.value, registry, within(place, "value")),
      };
    case "anyOf":
      return {
        anyOf: definition.types.map((type, index) =>
          openApiSchemaOf(type, registry, within(place, String(index + 1))),
        ),
      };
    case "record": {
      const name = definition.name ?? (place && registry.nameAt(definition, place, annotations.nullable));
      if (name === undefined) return objectSchema(definition.fields, registry);
      if (!registry.has(name)) {
        registry.set(name, {}); // Reserves its position ahead of the schemas that it references.
        const schema = objectSchema(definition.fields, registry, name);
        // Beside the reference, `nullable` would not admit null.
        if (definition.name === undefined && annotations.nullable) schema.nullable = true;
        registry.set(name, schema);
      }
      return { $ref: `#/components/schemas/${name}` };
    }
  }
}

function objectSchema(fields: Fields, registry: OpenApiSchemaRegistry, place?: string): Schema {
  const entries = Object.entries(fields);
  const required = entries.filter(([, { annotations }]) => !annotations.optional).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, type]) => [name, openApiSchemaOf(type, registry, within(place, name))]),
    ),
    ...(required.length > 0 && { required }),
  };
}

/** Returns an example composed of the examples of the fields; undefined if there is none. */
export function openApiExampleOf({ definition, annotations }: SchemaType<unknown>): unknown {
  if (annotations.example !== undefined) return annotations.example;
  switch (definition.kind) {
    case "value":
      return definition.schema.enum?.[0];
    case "validated":
    case "openEnum":
      return undefined;
    case "list": {
      const item = openApiExampleOf(definition.item);
      return item === undefined ? [] : [item];
    }
    case "map":
      return {};
    case "anyOf":
      return openApiExampleOf(definition.types[0]!);
    case "record":
      return Object.fromEntries(
        Object.entries(definition.fields).map(([name, type]) => [name, openApiExampleOf(type) ?? null]),
      );
  }
}
