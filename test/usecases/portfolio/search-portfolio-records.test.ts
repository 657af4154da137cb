import { expect, test } from "bun:test";
import {
  MOST_FOUND,
  searchPortfolioRecords,
} from "../../../src/usecases/portfolio/search-portfolio-records.ts";
import { knowledge, usePortfolioStore } from "../../support/portfolio-store.ts";

const open = usePortfolioStore();

// Rule: search
test("a search of one partner or of all returns at most 8 records of a kind, the exact ones first", async () => {
  const fixture = await open(Date.parse("2026-03-01T12:00:00Z"));
  const referenced = await fixture.addProperty({ name: "Oak", partnerPropertyId: "Elm" });
  for (let nth = 0; nth < MOST_FOUND; nth++) await fixture.addProperty({ name: `Elm ${nth}` });
  const deps = { read: fixture.store.read, knowledge };
  for (const partnerId of [fixture.partner.id, undefined]) {
    const found = await searchPortfolioRecords(deps, partnerId, "Elm");
    expect(found.map(({ kind }) => kind)).toEqual(Array(MOST_FOUND).fill("property"));
    expect(found[0]!.id).toBe(referenced.id);
  }
});
