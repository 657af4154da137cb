import type { Knowledge } from "../domain/knowledge.ts";
import { assemble, type CheckedFiles } from "./assemble.ts";
import { FILES } from "./files.ts";
import { createKnowledge } from "./look-ups.ts";

let loaded: Knowledge | undefined;

/**
 * Returns the knowledge base in the executable. The build validates it with `readKnowledge`; doing so here would take a
 * sixth of the startup time.
 */
export function loadKnowledge(): Knowledge {
  loaded ??= createKnowledge(assemble(embedded()));
  return loaded;
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
    lossClasses: FILES["loss-classes.json"],
    model: FILES["model.json"],
    smartEvents: FILES["smart-events.json"],
    sources: FILES["sources.json"],
    states: FILES["states.json"],
  } as CheckedFiles;
}
