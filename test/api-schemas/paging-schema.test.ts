import { expect, test } from "bun:test";
import { textSchema } from "../../src/api-schemas/definition/schema-field-types.ts";
import { pageSchema } from "../../src/api-schemas/paging-schema.ts";

const names = pageSchema("names", textSchema("A name", "Elm Court"));

test("a page has its number and the number of pages, also beyond the end", () => {
  expect(names.of([], { limit: 10, offset: 0 }, 0, "Acme")).toEqual({
    names: [],
    total: 0,
    limit: 10,
    offset: 0,
    page: 1,
    pages: 0,
    partner: "Acme",
  });
  expect(names.of(["a"], { limit: 10, offset: 20 }, 21, "Acme")).toMatchObject({ page: 3, pages: 3 });
  expect(names.of([], { limit: 10, offset: 25 }, 21, "Acme")).toMatchObject({ page: 3, pages: 3 });
});
