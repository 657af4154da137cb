import { expect, test } from "bun:test";
import {
  anyObjectSchema,
  anyOfSchema,
  listSchema,
  mapSchema,
  objectSchema,
  textSchema,
} from "../../src/api-schemas/definition/schema-field-types.ts";
import { entityTag, entityTagOf } from "../../src/http/entity-tag.ts";

const at = (day: number) => `{"total":1,"assessed_at":"2026-01-0${day}T00:00:00.000Z"}`;
const timed = objectSchema({ assessed_at: textSchema("When it was calculated", "2026-01-01T00:00:00.000Z") });
const plain = objectSchema({ name: textSchema("A name", "Elm Court") });

test("the times of calculations are no part of a tag, wherever a type has them", () => {
  const types = {
    record: timed,
    list: objectSchema({ items: listSchema("Items", timed) }),
    map: objectSchema({ items: mapSchema("Items", timed) }),
    alternative: objectSchema({ item: anyOfSchema(plain, timed) }),
    "object of any fields": objectSchema({ item: anyObjectSchema("Any") }),
    "no type": undefined,
  };
  for (const [name, type] of Object.entries(types)) {
    expect(entityTagOf(at(1), type), name).toBe(entityTagOf(at(2), type));
    expect(entityTagOf(at(1), type), name).not.toBe(entityTagOf(at(1).replace("1", "2"), type));
  }
});

test("the text of a type without times is hashed as it is", () => {
  const type = objectSchema({ items: listSchema("Items", plain) });
  expect(entityTagOf(at(1), type)).toBe(entityTag(at(1)));
  expect(entityTagOf(at(1), type)).not.toBe(entityTagOf(at(2), type));
});
