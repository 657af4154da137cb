import type { System } from "../domain-knowledge.ts";

/**
 * A life on record (docs/model/calibration.md#lives-on-record): one part, from the start of its record to its Replacement
 * or to today. Ages are virtual ages in years of normal use; days are day numbers.
 */
export type LifeOnRecord = {
  defId: string;
  componentId: string;
  applianceId: string;
  /** The class and the census division whose failures of a year have causes in common. */
  system: System;
  division: string;
  /** η in years, before any correction. */
  scale: number;
  /** β */
  shape: number;
  /** Years of normal use per calendar year. */
  rate: number;
  from: number;
  until: number;
  /** Virtual age at the start of the record; 0 for a life on record from its birth. */
  entryAge: number;
  /** Virtual age accrued on record. */
  accrued: number;
  /** True if the part at the start of the record may be a successor of the original. */
  pastIsUnknown: boolean;
  failed: boolean;
  /** The years up to the day of the fit at whose start the part was in service and on record, oldest first. */
  years: readonly LifeYear[];
};

/** A life at the start of a year, and its outcome. */
export type LifeYear = {
  start: number;
  /** Virtual age accrued on record by the start. */
  accrued: number;
  /** The whole virtual age with a known past; what accrued on record with an unknown one. */
  virtualAge: number;
  /** Hazard ratio of the newest condition, as faded at the start. */
  condition: number;
  /** Hazard ratio of repairs and emergency repairs, as faded at the start. */
  repairs: number;
  /** Null if the life ended within the year without a failure. */
  failed: boolean | null;
};
