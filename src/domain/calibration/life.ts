/**
 * A life on record (docs/model/calibration.md#lives-on-record): one part of a kind, from when its record begins to its Replacement or to today.
 * Ages are virtual ages in years of normal use; days count from 1970-01-01.
 */
export type Life = {
  defId: string;
  componentId: string;
  applianceId: string;
  /** η before any correction, in years: the kind's life, or the component's own, times the brand's factor. */
  scale: number;
  /** β */
  shape: number;
  /** Years of normal use in a calendar year. */
  rate: number;
  from: number;
  until: number;
  /** Virtual age when the record begins; 0 for a life on record from its birth. */
  entryAge: number;
  /** Virtual age accrued on record. */
  accrued: number;
  /** Whether the part at the record's beginning may be a successor of the original. */
  pastIsUnknown: boolean;
  failed: boolean;
  /** The years up to the day at whose start it was in service and on record, oldest first. */
  years: readonly LifeYear[];
};

/** A life as it stood at the start of one year, and what the year brought. */
export type LifeYear = {
  start: number;
  /** Virtual age accrued on record by then. */
  accrued: number;
  /** Of a known past the virtual age by then, whole; of an unknown one what accrued on record. */
  virtualAge: number;
  /** Hazard ratio of the condition, as faded by then. */
  condition: number;
  /** Hazard ratio of the repairs and emergency repairs. */
  repairs: number;
  /** Null where the life ended otherwise within the year. */
  failed: boolean | null;
};
