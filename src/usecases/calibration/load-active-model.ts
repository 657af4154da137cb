import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { type ModelCorrections, UNCORRECTED } from "../../domain/scoring/score-model-corrections.ts";
import type { ModelInUse } from "../../store/queries/models-queries.ts";
import type { SnapshotRun } from "../../store/queries/snapshots-queries.ts";
import type { Stores } from "../../store/stores.ts";

/** Returns the name of the active model: the executable's, or a local calibration of it. */
export async function loadActiveModelVersion(
  stores: Pick<Stores, "models">,
  knowledge: Knowledge,
): Promise<string> {
  return (await activeCalibration(stores, knowledge))?.version ?? knowledge.modelVersion;
}

/**
 * Returns whether the active model is that of the latest finished snapshot: if not, no plan and no decision on what is due may be
 * kept, whatever its date.
 */
export async function snapshotIsScoredByActiveModel(
  stores: Pick<Stores, "models">,
  latest: Pick<SnapshotRun, "modelVersion"> | undefined,
  knowledge: Knowledge,
): Promise<boolean> {
  return (
    (latest?.modelVersion ?? knowledge.modelVersion) === (await loadActiveModelVersion(stores, knowledge))
  );
}

/** Returns the active calibration as far as scoring these appliances needs it. */
export async function loadModelCorrections(
  stores: Pick<Stores, "models">,
  knowledge: Knowledge,
  appliances: readonly { id: string }[],
): Promise<ModelCorrections> {
  const fit = await activeCalibration(stores, knowledge);
  if (!fit) return UNCORRECTED;
  const { number, corrections } = fit;
  const ids = appliances.map(({ id }) => id);
  return {
    lifeFactors: lifeFactorsOf(fit),
    frailties: corrections.frailtyShape === null ? new Map() : await stores.models.frailties(number, ids),
    strength: corrections.strength,
  };
}

/** Returns the variances of year factors that the active calibration has learned, by class. */
export async function loadYearFactorVariances(
  stores: Pick<Stores, "models">,
  knowledge: Knowledge,
): Promise<ReadonlyMap<string, number>> {
  const fit = await activeCalibration(stores, knowledge);
  return new Map(Object.entries(fit?.corrections.yearFactorVariances ?? {}));
}

/** A calibration of another model version does not apply to this one. */
async function activeCalibration({ models }: Pick<Stores, "models">, knowledge: Knowledge) {
  const fit = await models.inUse();
  return fit?.base === knowledge.modelVersion ? fit : undefined;
}

const lifeFactors = new WeakMap<ModelInUse, ReadonlyMap<string, number>>();

function lifeFactorsOf(fit: ModelInUse): ReadonlyMap<string, number> {
  const known = lifeFactors.get(fit) ?? new Map(Object.entries(fit.corrections.lifeFactors));
  lifeFactors.set(fit, known);
  return known;
}
