/*
 * Measures what the README of this folder lists: `bun run bench [--portfolio DIR] [--only NAME,…]`. Figures are of
 * this machine and this moment; ratios are of pairs in one run.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { calibration } from "./calibration.ts";
import { deliveries } from "./deliveries.ts";
import type { Figure } from "./figure.ts";
import { large } from "./large.ts";
import { losses } from "./losses.ts";
import { Bench } from "./mainstay.ts";
import { managers } from "./managers.ts";
import { portfolio } from "./new-york.ts";
import { pages } from "./pages.ts";
import { plans } from "./plans.ts";
import { postgres } from "./postgres.ts";
import { stalls } from "./stalls.ts";

const { values } = parseArgs({ options: { portfolio: { type: "string" }, only: { type: "string" } } });
const parts: Record<string, (bench: Bench) => Promise<Figure[]>> = {
  portfolio: (bench) => portfolio(bench, values.portfolio && resolve(values.portfolio)),
  large,
  deliveries,
  stalls,
  managers,
  plans,
  losses,
  pages,
  calibration,
  postgres,
};
const wanted = values.only?.split(",") ?? Object.keys(parts);
const rows: Figure[] = [];
for (const name of wanted) {
  const part = parts[name];
  if (!part) throw new Error(`there is no part ${name}; there are ${Object.keys(parts).join(", ")}`);
  const bench = new Bench();
  try {
    rows.push(...(await part(bench)));
  } finally {
    bench.remove();
  }
}
console.log("\n| figure | target | measured | |\n|---|---|---|---|");
for (const { what, target, measured, holds } of rows)
  console.log(`| ${what} | ${target} | ${measured} | ${holds ? "holds" : "misses"} |`);
