import { describe, expect, test } from "bun:test";
import { apiInputCsvColumns } from "../../../src/api-schemas/definition/api-input-csv-columns.ts";
import {
  body,
  documentedAs,
  input,
  items,
  nested,
  nullable,
  optional,
  required,
} from "../../../src/api-schemas/definition/input-schema.ts";
import {
  line,
  requiredLine,
  usd as usdIn,
  zip,
} from "../../../src/api-schemas/definition/schema-constraints.ts";
import {
  anyObject,
  anyOf,
  enumOf,
  flag,
  list,
  mapOf,
  object,
  record,
  text,
  usd,
  whole,
} from "../../../src/api-schemas/definition/schema-field-types.ts";
import type { SchemaType } from "../../../src/api-schemas/definition/schema-type.ts";
import {
  OpenApiSchemaRegistry,
  openApiExampleOf,
  openApiSchemaOf,
} from "../../../src/http/openapi/openapi-schema.ts";
import { type } from "../../../src/validation/arktype-validators.ts";

const schemaAlone = (form: SchemaType<unknown>) => openApiSchemaOf(form, new OpenApiSchemaRegistry());

describe("a response type", () => {
  test("has a description, a unit and an example", () => {
    expect(schemaAlone(usd("Reserve per month", 12.5))).toEqual({
      type: "number",
      description: "Reserve per month, in USD",
      example: 12.5,
    });
    expect(schemaAlone(whole("Units", 24).describedAs("Units, as billed"))).toMatchObject({
      minimum: 0,
      description: "Units, as billed",
      example: 24,
    });
  });

  test("lists null among the values of a nullable enum", () => {
    expect(schemaAlone(enumOf(["a", "b"], "Kind").orNull())).toEqual({
      type: "string",
      enum: ["a", "b", null],
      nullable: true,
      description: "Kind",
      example: "a",
    });
  });

  test("requires the fields that are always present, null or not", () => {
    const room = object({
      name: text("Name", "A"),
      floor: whole("Floor", 1).orNull(),
      note: text("Note").orAbsent(),
    });
    expect(schemaAlone(room)).toMatchObject({ type: "object", required: ["name", "floor"] });
    expect(schemaAlone(object({ note: text("Note").orAbsent() })).required).toBeUndefined();
  });

  test("without a name is named by the place of its first use", () => {
    const names = new OpenApiSchemaRegistry();
    const span = object({ cost: usd("Cost", 1) });
    const plan = object({
      year_1: span.describedAs("The first"),
      year_2: span.describedAs("The second"),
      parts: list("Parts", object({ of: text("Of", "A") })),
    });
    expect(openApiSchemaOf(plan, names, "GetPlanReply")).toEqual({
      $ref: "#/components/schemas/GetPlanReply",
    });
    expect([...names.keys()]).toEqual(["GetPlanReply", "GetPlanReplyYear1", "GetPlanReplyPartsItem"]);
    expect(() => openApiSchemaOf(object({}), names, "GetPlanReply")).toThrow("two records");
  });

  test("with a name is written once, however often it is used", () => {
    const room = record("Room", { name: text("Name", "A") });
    const house = record("House", {
      hall: room.describedAs("The hall"),
      cellar: room.describedAs("The cellar").orNull(),
      rooms: list("The rooms", room),
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
    const room = object({ name: text("Name", "A"), empty: flag("Empty", false), size: anyObject("Size") });
    const house = object({
      rooms: list("Rooms", room),
      byName: mapOf("By name", room),
      first: anyOf(room, text("T")),
    });
    const example = { name: "A", empty: false, size: null };
    expect(openApiExampleOf(house)).toEqual({ rooms: [example], byName: {}, first: example });
  });
});

describe("a request type", () => {
  const out = object({ name: text("Its name", "Elm Court"), price: usd("Its price", 12) }).fields;
  const house = input("House", {
    name: required(requiredLine, out.name),
    price: nullable(usdIn, out.price),
    zip: optional(zip, "Its ZIP code", "10013"),
    kind: documentedAs(required(line, "Its kind", "flat"), { type: "string", enum: ["flat", "plant"] }),
    owner: documentedAs(nullable(line, "Its owner"), "required"),
    rooms: items("Its rooms", body({ label: required(requiredLine, "Its label", "A") })),
    site: nested(body({ city: nullable(line, "Its city") }), "Where it stands"),
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
    expect(
      apiInputCsvColumns(
        input("Row", {
          name: required(requiredLine, "N"),
          cost: nullable(usdIn, "C"),
          on: nullable(type("boolean"), "O"),
        }),
      ),
    ).toEqual({
      name: "text",
      cost: "number",
      on: "text",
    });
  });
});
