import { describe, expect, test } from "bun:test";
import { leases } from "./leases.ts";
import { numbers } from "./numbers.ts";
import { operatorQueries } from "./operator-queries.ts";
import { portfolioQueries } from "./portfolio-queries.ts";
import { sharedQueries } from "./shared-queries.ts";
import { Called, type MakeDatabase } from "./test-store.ts";
import { transactions } from "./transactions.ts";

/** What every store promises, whichever database it keeps its rows in. */
export function storeConformance(name: string, make: MakeDatabase): void {
  describe(`a store on ${name}`, () => {
    const called = new Called();
    transactions(make);
    numbers(make);
    portfolioQueries(make, called);
    operatorQueries(make, called);
    leases(make, called);
    sharedQueries(make, called);

    test("has no query that was not tried here", async () => {
      const { read } = await (await make()).open();
      expect(called.missing(read)).toEqual([]);
    });
  });
}
