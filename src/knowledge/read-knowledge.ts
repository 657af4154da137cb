import type { Knowledge } from "../domain/domain-knowledge.ts";
import { type Type, type } from "../validation/arktype-validators.ts";
import { assembleKnowledge } from "./assemble-knowledge.ts";
import { checkKnowledgeReferences, checkKnowledgeSources, KnowledgeError } from "./check-knowledge.ts";
import type { CheckedFiles } from "./knowledge-file-schemas.ts";
import * as schemas from "./knowledge-file-schemas.ts";
import type { KnowledgeFiles } from "./knowledge-files.ts";
import { createKnowledge } from "./knowledge-look-ups.ts";

/** Validates the files and returns look-ups. Throws a KnowledgeError that names the file and the entry. */
export function readKnowledge(files: KnowledgeFiles): Knowledge {
  const checked: CheckedFiles = {
    appliances: Object.keys(files)
      .filter((name) => name.startsWith("appliances/"))
      .map((name) => readAppliance(files, name)),
    brands: read(files, "brands.json", schemas.brandsFile),
    cascades: read(files, "cascades.json", schemas.cascadesFile),
    censusDivisions: read(files, "census-divisions.json", schemas.censusDivisionsFile),
    claimTypes: read(files, "claim-types.json", schemas.claimTypesFile),
    eras: read(files, "eras.json", schemas.erasFile),
    hazards: read(files, "hazards.json", schemas.hazardsFile),
    regimes: read(files, "inspection-regimes.json", schemas.regimesFile),
    keywords: read(files, "keywords.json", schemas.keywordsFile),
    locationFactors: read(files, "location-factors.json", schemas.locationFactorsFile),
    lossClasses: read(files, "loss-classes.json", schemas.lossClassesFile),
    model: read(files, "model.json", schemas.modelFile),
    smartEvents: read(files, "smart-events.json", schemas.smartEventsFile),
    sources: read(files, "sources.json", schemas.sourcesFile),
    states: read(files, "states.json", schemas.statesFile),
  };
  checkKnowledgeSources(files, checked.sources);
  checkKnowledgeReferences(checked);
  return createKnowledge(assembleKnowledge(checked));
}

function readAppliance(files: KnowledgeFiles, name: string): CheckedFiles["appliances"][number] {
  const appliance = read(files, name, schemas.applianceFile);
  if (name !== `appliances/${appliance.type_id}.json`)
    throw new KnowledgeError(name, "type_id", `${appliance.type_id} belongs in a file of its own name`);
  return appliance;
}

function read<T extends Type>(files: KnowledgeFiles, name: string, shape: T): T["infer"] {
  const content = shape(files[name]);
  if (!(content instanceof type.errors)) return content as T["infer"];
  const first = content[0]!;
  throw new KnowledgeError(name, first.path.stringify() || "the file", first.problem);
}
