import { readFileSync } from "node:fs";
import { join } from "node:path";
import { importPortfolio } from "../../src/usecases/import/import-portfolio.ts";
import { knowledge, type PortfolioFixture } from "./portfolio-store.ts";

const FOLDER = join(import.meta.dir, "../fixtures/golden-calibration");
/** The last day on record in the worked example of calibration. */
export const GOLDEN_DAY = "2026-06-30";

/** Imports the worked example of calibration for the partner of the store. */
export async function importGoldenFleet({ store, partner, clock }: PortfolioFixture): Promise<void> {
  const source = (file: string) => ({ name: file, text: readFileSync(join(FOLDER, file), "utf8") });
  const sources = {
    properties: source("properties.csv"),
    appliances: source("appliances.csv"),
    serviceEvents: source("service_events.csv"),
  };
  await importPortfolio({ store, knowledge, partner, sources, clock, actor: "cli:test" });
}
