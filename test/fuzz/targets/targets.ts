import type { Target } from "../target.ts";
import { endpointTarget } from "./endpoint.ts";
import { FILE_TARGETS, removeScratch } from "./files.ts";
import { FORMAT_TARGETS } from "./formats.ts";
import { costBookTarget, importedRowsTarget, importTarget, mappedImportTarget } from "./import.ts";
import { REQUEST_TARGETS } from "./requests.ts";

/** Every parser of what partners, operators and endpoints send. Requests as a whole are in `test/blackbox/fuzz.test.ts`. */
export const TARGETS: readonly Target[] = [
  ...FILE_TARGETS,
  ...REQUEST_TARGETS,
  ...FORMAT_TARGETS,
  importTarget(),
  mappedImportTarget(),
  importedRowsTarget(),
  costBookTarget(),
  await endpointTarget(),
];

export async function endTargets(): Promise<void> {
  for (const target of TARGETS) await target.end?.();
  removeScratch();
}
