import { readFileSync } from "node:fs";
import { join } from "node:path";
import { importPortfolio } from "../../src/usecases/import/import-portfolio.ts";
import { failuresOfGoldenFleet, GOLDEN_FLEET } from "./golden-fleet.ts";
import { knowledge, type PortfolioFixture } from "./portfolio-store.ts";

/** The last day on record in the worked example of calibration. */
export const GOLDEN_DAY = "2026-06-30";

/** Imports the failures of the worked example of calibration for the partner of the store. */
export async function importGoldenFleet({ store, partner, clock }: PortfolioFixture): Promise<void> {
  const source = (file: string) => ({ name: file, text: readFileSync(join(GOLDEN_FLEET, file), "utf8") });
  const sources = {
    properties: source("properties.csv"),
    appliances: source("appliances.csv"),
    serviceEvents: { name: "failures.csv", text: failuresOfGoldenFleet() },
  };
  await importPortfolio({ store, knowledge, partner, sources, clock, actor: "cli:test" });
}
