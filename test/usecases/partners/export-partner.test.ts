import { beforeEach, expect, spyOn, test } from "bun:test";
import { exportPartner } from "../../../src/usecases/partners/export-partner.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";

const open = usePortfolioStore();
let fixture: PortfolioFixture;
beforeEach(async () => {
  fixture = await open(Date.parse("2026-03-10T12:00:00Z"));
});

test("an export yields after each page that it reads, also if the page has no lines to export", async () => {
  await fixture.addProperty();
  const { store, partner, clock } = fixture;
  let ticks = 0;
  let isRunning = true;
  const tick = () => {
    ticks++;
    if (isRunning) setImmediate(tick);
  };
  setImmediate(tick);
  const readAt: number[] = [];
  const { numbered } = store.read.properties;
  const pages = spyOn(store.read.properties, "numbered").mockImplementation(async (...range) => {
    readAt.push(ticks);
    return await numbered(...range);
  });
  const types: string[] = [];
  for await (const lines of exportPartner(store, knowledge, partner, clock))
    types.push(...lines.map(({ type }) => type));
  isRunning = false;
  pages.mockRestore();
  expect(types).toEqual(["partner", "property", "end"]);
  expect(readAt.length).toBeGreaterThan(2);
  expect(new Set(readAt).size).toBe(readAt.length);
});
