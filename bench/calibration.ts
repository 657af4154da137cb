import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Figure } from "./figure.ts";
import { FLEETS, simulatedFleet } from "./fleet.ts";
import { Bench } from "./mainstay.ts";

/** About 4,500 components each. */
const SIZE = { properties: 200, appliances: 4, seed: 8 };

/** What calibration is worth on six simulated fleets whose truth is known, each in a data folder of its own. */
export async function calibration(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const today = new Date().toISOString().slice(0, 10);
  for (const fleet of FLEETS) {
    const bench = new Bench();
    try {
      const folder = join(bench.folder, "fleet");
      mkdirSync(folder);
      const files = await simulatedFleet(folder, fleet, { ...SIZE, today });
      const { partner_id } = await bench.partner(fleet.name);
      await bench.run(
        "import",
        ...["--partner", partner_id, "--properties", files.properties],
        ...["--appliances", files.appliances, "--service-events", files.serviceEvents],
      );
      const { json, seconds } = await bench.run("calibrate");
      const { before, after } = json.validation;
      const pair = (of: typeof before) => `${of.concordance.toFixed(3)} / ${of.brier_skill.toFixed(3)}`;
      figures.push({
        what: `Concordance / Brier skill of the fleet "${fleet.name}", plain and calibrated; ${json.failures} failures of ${json.lives} lives`,
        target: "calibrated above plain",
        measured: `${pair(before)}, ${pair(after)}; strength of the condition ${json.evidence_strength.condition.toFixed(2)}; ${seconds.toFixed(1)} s`,
        holds: after.concordance > before.concordance && after.brier_skill > before.brier_skill,
      });
      console.log(figures.at(-1));
    } finally {
      bench.remove();
    }
  }
  return figures;
}
