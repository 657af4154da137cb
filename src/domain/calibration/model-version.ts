import type { Day, Instant } from "../time.ts";

/** A fit that was put to use, with what was known of it then. It is never changed. */
export type ModelVersion = {
  number: number;
  /** `2+local.1`: the first fit to an operator's own outcomes over model 2. */
  version: string;
  /** The model that it corrects. */
  base: string;
  createdAt: Instant;
  actor: string;
  /** False for one that was put to use by force. */
  isProven: boolean;
  /** The number of what was in use before; null for the plain model. */
  replaced: number | null;
  corrections: StoredCorrections;
  /** The calibration's record, as its command printed it. */
  evidence: Record<string, unknown>;
};

/** A fit that is not in use, kept with its proof until somebody has looked at that. */
export type KeptFit = Pick<ModelVersion, "number" | "base" | "isProven" | "corrections" | "evidence"> & {
  madeAt: Instant;
};

/** What names a kept fit, so that the one that is put to use is the one that was looked at. */
export const keptFitId = ({ number, madeAt }: Pick<KeptFit, "number" | "madeAt">) => `${number}-${madeAt}`;

/** Corrections but for the appliances' frailties. */
export type StoredCorrections = {
  lifeFactors: Record<string, number>;
  frailtyShape: number | null;
  strength: { condition: number; repairs: number };
};

/** A look at whether the model in use still forecasts better than the plain one. */
export type ModelCheck = { day: Day; version: string; isWorse: boolean; evidence: Record<string, unknown> };
