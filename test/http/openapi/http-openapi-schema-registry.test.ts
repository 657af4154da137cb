import { describe, expect, test } from "bun:test";
import { apiInputCsvColumns } from "../../../src/api-schemas/definition/api-input-csv-columns.ts";
import {
  line,
  requiredLine,
  usd as usdIn,
  zip,
} from "../../../src/api-schemas/definition/api-schema-constraints.ts";
import type { SchemaType } from "../../../src/api-schemas/definition/api-schema-type.ts";
import {
  bodySchema,
  documentedSchema,
  inputSchema,
  itemsFieldSchema,
  nestedFieldSchema,
  nullableSchema,
  optionalSchema,
  requiredSchema,
} from "../../../src/api-schemas/definition/input-schema.ts";
import {
  anyObjectSchema,
  anyOfSchema,
  enumSchema,
  flagSchema,
  listSchema,
  mapSchema,
  objectSchema,
  recordSchema,
  textSchema,
  usdSchema,
  wholeNumberSchema,
} from "../../../src/api-schemas/definition/schema-field-types.ts";
import {
  OpenApiSchemaRegistry,
  openApiExampleOf,
  openApiSchemaOf,
} from "../../../src/http/openapi/http-openapi-schema-registry.ts";
import { type } from "../../../src/validation/arktype-validators.ts";

const schemaAlone = (form: SchemaType<unknown>) => openApiSchemaOf(form, new OpenApiSchemaRegistry());

describe("a response type", () => {
  test("has a description, a unit and an example", () => {
    expect(schemaAlone(usdSchema("Reserve per month", 12.5))).toEqual({
      type: "number",
      description: "Reserve per month, in USD",
      example: 12.5,
    });
    expect(schemaAlone(wholeNumberSchema("Units", 24).describedAs("Units, as billed"))).toMatchObject({
      minimum: 0,
      description: "Units, as billed",
      example: 24,
    });
  });

  test("lists null among the values of a nullable enum", () => {
    expect(schemaAlone(enumSchema(["a", "b"], "Kind").orNull())).toEqual({
      type: "string",
      enum: ["a", "b", null],
      nullable: true,
      description: "Kind",
      example: "a",
    });
  });

  test("requires the fields that are always present, null or not", () => {
    const room = objectSchema({
      name: textSchema("Name", "A"),
      floor: wholeNumberSchema("Floor", 1).orNull(),
      note: textSchema("Note").orAbsent(),
    });
    expect(schemaAlone(room)).toMatchObject({ type: "object", required: ["name", "floor"] });
    expect(schemaAlone(objectSchema({ note: textSchema("Note").orAbsent() })).required).toBeUndefined();
  });

  test("without a name is named by the place of its first use", () => {
    const names = new OpenApiSchemaRegistry();
    const span = objectSchema({ cost: usdSchema("Cost", 1) });
    const plan = objectSchema({
      year_1: span.describedAs("The first"),
      year_2: span.describedAs("The second"),
      parts: listSchema("Parts", objectSchema({ of: textSchema("Of", "A") })),
    });
    expect(openApiSchemaOf(plan, names, "GetPlanReply")).toEqual({
      $ref: "#/components/schemas/GetPlanReply",
    });
    expect([...names.keys()]).toEqual(["GetPlanReply", "GetPlanReplyYear1", "GetPlanReplyPartsItem"]);
    expect(() => openApiSchemaOf(objectSchema({}), names, "GetPlanReply")).toThrow("two records");
  });

  test("with a name is written once, however often it is used", () => {
    const room = recordSchema("Room", { name: textSchema("Name", "A") });
    const house = recordSchema("House", {
      hall: room.describedAs("The hall"),
      cellar: room.describedAs("The cellar").orNull(),
      rooms: listSchema("The rooms", room),
    });
    const names = new OpenApiSchemaRegistry();
    expect(openApiSchemaOf(house, names)).toEqual({ $ref: "#/components/schemas/House" });
    const $ref = "#/components/schemas/Room";
    expect([...names.keys()].sort()).toEqual(["House", "Room"]);
    expect(names.get("House")!.properties).toEqual({
      hall: { allOf: [{ $ref }], description: "The hall" },
      cellar: { allOf: [{ $ref }], type: "object", nullable: true, description: "The cellar" },
      rooms: { type: "array", items: { $ref }, description: "The rooms" },
    });
    expect(names.get("Room")).toEqual({
      type: "object",
      properties: { name: { type: "string", description: "Name", example: "A" } },
      required: ["name"],
    });
  });

  test("has an example composed of those of its fields", () => {
    const room = objectSchema({
      name: textSchema("Name", "A"),
      empty: flagSchema("Empty", false),
      size: anyObjectSchema("Size"),
    });
    const house = objectSchema({
      rooms: listSchema("Rooms", room),
      byName: mapSchema("By name", room),
      first: anyOfSchema(room, textSchema("T")),
    });
    const example = { name: "A", empty: false, size: null };
    expect(openApiExampleOf(house)).toEqual({ rooms: [example], byName: {}, first: example });
  });
});

describe("a request type", () => {
  const out = objectSchema({
    name: textSchema("Its name", "Elm Court"),
    price: usdSchema("Its price", 12),
  }).fields;
  const house = inputSchema("House", {
    name: requiredSchema(requiredLine, out.name),
    price: nullableSchema(usdIn, out.price),
    zip: optionalSchema(zip, "Its ZIP code", "10013"),
    kind: documentedSchema(requiredSchema(line, "Its kind", "flat"), {
      type: "string",
      enum: ["flat", "plant"],
    }),
    owner: documentedSchema(nullableSchema(line, "Its owner"), "required"),
    rooms: itemsFieldSchema(
      "Its rooms",
      bodySchema({ label: requiredSchema(requiredLine, "Its label", "A") }),
    ),
    site: nestedFieldSchema(bodySchema({ city: nullableSchema(line, "Its city") }), "Where it stands"),
  });

  test("is described by its constraints, with the descriptions of the response", () => {
    const names = new OpenApiSchemaRegistry();
    openApiSchemaOf(house.type, names);
    const { properties, required: needed } = names.get("House")!;
    expect(needed).toEqual(["name", "kind", "owner", "rooms"]);
    expect(properties!.name).toEqual({
      type: "string",
      minLength: 1,
      maxLength: 500,
      description: "Its name",
      example: "Elm Court",
    });
    expect(properties!.price).toMatchObject({
      type: "number",
      minimum: 0,
      nullable: true,
      description: "Its price, in USD",
    });
    expect(properties!.kind).toMatchObject({ enum: ["flat", "plant"], description: "Its kind" });
    expect(properties!.owner!.nullable).toBeUndefined();
    expect(properties!.rooms!.items).toEqual({ $ref: "#/components/schemas/HouseRoomsItem" });
    expect(names.get("HouseRoomsItem")).toMatchObject({ type: "object", required: ["label"] });
    expect(properties!.site).toMatchObject({
      type: "object",
      nullable: true,
      description: "Where it stands",
    });
  });

  test("is validated by its constraint, not by its documented type", () => {
    const given = { name: "A", kind: "attic", rooms: [1], site: null };
    expect(house.parse(given)).toEqual(given as never);
    expect(() => house.parse({ ...given, zip: null })).toThrow("zip must be a ZIP code");
    expect(() => house.parse({ ...given, site: [] })).toThrow("site must be an object");
    expect(() => house.parse({ name: "A" })).toThrow("name, kind, rooms required");
  });

  test("determines the columns of a CSV file", () => {
    const columns = apiInputCsvColumns(
      inputSchema("Row", {
        name: requiredSchema(requiredLine, "N"),
        cost: nullableSchema(usdIn, "C"),
        on: nullableSchema(type("boolean"), "O"),
      }),
    );
    expect(Object.entries(columns).map(([name, cellType]) => [name, cellType()])).toEqual([
      ["name", "text"],
      ["cost", "number"],
      ["on", "text"],
    ]);
  });
});
