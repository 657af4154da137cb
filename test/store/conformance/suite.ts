import { describe, expect, test } from "bun:test";
import { leases } from "./leases.ts";
import { numbers } from "./numbers.ts";
import { operatorQueries } from "./operator-queries.ts";
import { portfolioQueries } from "./portfolio-queries.ts";
import { sharedQueries } from "./shared-queries.ts";
import { Called, type MakeDatabase } from "./test-store.ts";
import { transactions } from "./transactions.ts";

/** The tests of what every store promises, whatever its database is. */
export function storeConformance(name: string, make: MakeDatabase): void {
  describe(`a store on ${name}`, () => {
    const called = new Called();
    transactions(make);
    numbers(make);
    portfolioQueries(make, called);
    operatorQueries(make, called);
    leases(make, called);
    sharedQueries(make, called);

    test("has no query that is not tested here", async () => {
      const { read } = await (await make()).open();
      expect(called.missing(read)).toEqual([]);
    });
  });
}
