import type { Knowledge } from "../domain/domain-knowledge.ts";
import { assembleKnowledge } from "./assemble-knowledge.ts";
import type { CheckedFiles } from "./knowledge-file-schemas.ts";
import { FILES } from "./knowledge-files.ts";
import { createKnowledge } from "./knowledge-look-ups.ts";

/** The settings `costs.*`. */
type CostSettings = { location: "state" | "none"; priceLevel: number; buildingPerSqft: number };

let loaded: Knowledge | undefined;

/**
 * Returns the knowledge base in the executable, with what the settings say of its costs; by default the factors of the states
 * and a price level of 1. The build validates it with `readKnowledge`; doing so here would take a
 * sixth of the startup time.
 */
export function embeddedKnowledge(settings?: CostSettings): Knowledge {
  loaded ??= createKnowledge(assembleKnowledge(embedded()));
  if (!settings) return loaded;
  const { location, priceLevel, buildingPerSqft } = settings;
  const { locationFactors } = loaded.costs;
  return {
    ...loaded,
    priceTerms: { locationFactors: location === "none" ? null : locationFactors, priceLevel },
    buildingCentsPerSqft: Math.round(100 * buildingPerSqft),
  };
}

function embedded(): CheckedFiles {
  const names = Object.keys(FILES).filter((name) => name.startsWith("appliances/"));
  return {
    appliances: names.map((name) => FILES[name]),
    brands: FILES["brands.json"],
    cascades: FILES["cascades.json"],
    censusDivisions: FILES["census-divisions.json"],
    claimTypes: FILES["claim-types.json"],
    eras: FILES["eras.json"],
    hazards: FILES["hazards.json"],
    regimes: FILES["inspection-regimes.json"],
    keywords: FILES["keywords.json"],
    locationFactors: FILES["location-factors.json"],
    lossClasses: FILES["loss-classes.json"],
    model: FILES["model.json"],
    smartEvents: FILES["smart-events.json"],
    sources: FILES["sources.json"],
    states: FILES["states.json"],
  } as CheckedFiles;
}
