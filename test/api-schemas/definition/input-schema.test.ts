import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  bodySchema,
  nullableSchema,
  requiredSchema,
} from "../../../src/api-schemas/definition/input-schema.ts";
import { parseNewPropertyJson } from "../../../src/api-schemas/property-request-schema.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { type } from "../../../src/validation/arktype-validators.ts";

const room = bodySchema({
  name: requiredSchema(type("string"), "What it is called"),
  floor: nullableSchema(type("0 <= number.integer <= 99").describe("a floor"), "Where it is"),
});

function refusal(run: () => unknown): Failure {
  try {
    run();
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error("nothing was refused");
}

describe("parse", () => {
  test("returns valid input", () => {
    expect(room.parse({ name: "Boiler room", floor: 0 })).toEqual({ name: "Boiler room", floor: 0 });
  });

  test("lists all required fields if one is missing, empty or null", () => {
    const message = "name, address, state required";
    for (const body of [{}, { name: "A", address: "B" }, { name: "A", address: " ", state: null }])
      expect(refusal(() => parseNewPropertyJson(body)).message).toBe(message);
  });

  test("reports an invalid field with its own description", () => {
    const { message, details } = refusal(() => room.parse({ name: "A", floor: 100 }));
    expect(message).toBe("floor must be a floor");
    expect(details).toEqual([{ field: "floor", message: "must be a floor" }]);
  });

  test("reports every invalid field", () => {
    const body = {
      name: "A",
      address: "B",
      state: "NY",
      unit_count: -1,
      zip: "x!",
      year_built: Number.POSITIVE_INFINITY,
    };
    const fields = refusal(() => parseNewPropertyJson(body)).details?.map(({ field }) => field);
    expect(fields).toEqual(["unit_count", "year_built", "zip"]);
  });

  test("never repeats the input", () => {
    const sent = fc.string({ minLength: 12, maxLength: 40 }).map((text) => `<${text}>`);
    fc.assert(
      fc.property(sent, (text) => {
        const body = {
          name: "A",
          address: "B",
          state: text,
          zip: text,
          unit_count: text,
          year_built: [text],
        };
        const { message, details } = refusal(() => parseNewPropertyJson(body));
        expect(JSON.stringify([message, details])).not.toContain(JSON.stringify(text).slice(1, -1));
      }),
    );
  });
});
