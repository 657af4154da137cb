import type { Knowledge } from "../../domain/knowledge.ts";
import { type Corrections, UNCORRECTED } from "../../domain/scoring/corrections.ts";
import type { ModelInUse } from "../../store/queries/models.ts";
import type { Stores } from "../../store/stores.ts";

/** `2` of `2+local.3`. */
export const baseVersion = (version: string) => version.split("+")[0]!;

/** The name of the model that scores are made with: the executable's, or a fit of this operator's over it. */
export async function modelVersionOf(stores: Pick<Stores, "models">, knowledge: Knowledge): Promise<string> {
  return (await fitInUse(stores, knowledge))?.version ?? knowledge.modelVersion;
}

/** What calibration has learned, as far as scoring these appliances needs it. */
export async function correctionsOf(
  stores: Pick<Stores, "models">,
  knowledge: Knowledge,
  appliances: readonly { id: string }[],
): Promise<Corrections> {
  const fit = await fitInUse(stores, knowledge);
  if (!fit) return UNCORRECTED;
  const { number, corrections } = fit;
  const ids = appliances.map(({ id }) => id);
  return {
    lifeFactors: lifeFactorsOf(fit),
    frailties: corrections.frailtyShape === null ? new Map() : await stores.models.frailties(number, ids),
    strength: corrections.strength,
  };
}

/** A fit to another model than the executable's says nothing about this one. */
async function fitInUse({ models }: Pick<Stores, "models">, knowledge: Knowledge) {
  const fit = await models.inUse();
  return fit?.base === knowledge.modelVersion ? fit : undefined;
}

const lifeFactors = new WeakMap<ModelInUse, ReadonlyMap<string, number>>();

function lifeFactorsOf(fit: ModelInUse): ReadonlyMap<string, number> {
  const known = lifeFactors.get(fit) ?? new Map(Object.entries(fit.corrections.lifeFactors));
  lifeFactors.set(fit, known);
  return known;
}
