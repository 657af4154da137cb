import type { Day, Instant } from "../time.ts";

/** An applied fit with its evidence. Immutable. */
export type ModelVersion = {
  number: number;
  /** Such as `3+local.1`, the first fit to an operator's own outcomes on model 3. */
  version: string;
  /** The version of the corrected model. */
  base: string;
  createdAt: Instant;
  actor: string;
  /** False for a fit that was applied by force, without proof. */
  isProven: boolean;
  /** The number of the version in use before; null for the default model. */
  replaced: number | null;
  corrections: StoredCorrections;
  /** The report of the calibration, as its command prints it. */
  evidence: Record<string, unknown>;
};

/** A fit that is not applied, stored with its proof for review. */
export type StoredFit = Pick<ModelVersion, "number" | "base" | "isProven" | "corrections" | "evidence"> & {
  madeAt: Instant;
};

/** Returns the id of a stored fit, so that the fit applied is the one reviewed. */
export const calibrationFitId = ({ number, madeAt }: Pick<StoredFit, "number" | "madeAt">) =>
  `${number}-${madeAt}`;

/** Corrections without the frailties of appliances. */
export type StoredCorrections = {
  lifeFactors: Record<string, number>;
  frailtyShape: number | null;
  strength: { condition: number; repairs: number };
  /** The learned variances of year factors, by class; absent in calibrations of before they were learned. */
  yearFactorVariances?: Record<string, number>;
};

/** A check of whether the applied model still forecasts better than the plain one. */
export type ModelCheck = { day: Day; version: string; isWorse: boolean; evidence: Record<string, unknown> };

/** The latest requested fit of the model, on any server, and its state. */
export type CalibrationProposal = {
  /** The id of the stored fit; an earlier one's if the latest failed. Null without a stored fit. */
  id: string | null;
  status: "none" | "running" | "ready" | "failed" | "applied";
  /** The server or the user's command that runs it or ran it, in words. */
  by: string | null;
  startedAt: Instant | null;
  finishedAt: Instant | null;
  /** The reason of a failure, in words. */
  error: string | null;
  /** The model version in use since it was applied. */
  modelVersion: string | null;
  /** The time at which the stored fit was made. */
  madeAt: Instant | null;
  /** The stored fit and its proof, as `mainstay calibrate --json` prints them. */
  report: Readonly<Record<string, unknown>> | null;
};

/** Returns `3` for `3+local.3`. */
export const baseModelVersion = (version: string) => version.split("+")[0]!;

/** The name of a calibrated version: `3+local.1` is the first calibration of model 3. */
export const calibratedModelVersion = (base: string, number: number) => `${base}+local.${number}`;
