import { describe, expect, test } from "bun:test";
import { bookQueries } from "./book-queries.ts";
import { leases } from "./leases.ts";
import { numbers } from "./numbers.ts";
import { operatorQueries } from "./operator-queries.ts";
import { portfolioQueries } from "./portfolio-queries.ts";
import { sharedQueries } from "./shared-queries.ts";
import { Called, type MakeDatabase } from "./test-store.ts";
import { transactions } from "./transactions.ts";

/** Declares the tests of the guarantees that every store gives, on any database. */
export function storeConformance(name: string, make: MakeDatabase): void {
  describe(`a store on ${name}`, () => {
    const called = new Called();
    transactions(make);
    numbers(make);
    portfolioQueries(make, called);
    bookQueries(make, called);
    operatorQueries(make, called);
    leases(make, called);
    sharedQueries(make, called);

    test("has no untested query", async () => {
      const { read } = await (await make()).open();
      expect(called.missing(read)).toEqual([]);
    });
  });
}
