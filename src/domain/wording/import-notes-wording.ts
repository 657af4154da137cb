/** How many records of an import deserve a look. */
export type WordedImportNotes = {
  /** Created appliances without an install year, which have their building's. */
  buildingYears: number;
  /** Appliances created or changed with an install year before their building's. */
  earlyYears: number;
  /** Appliances created or changed with a size that has no effect, or that is probably in another unit. */
  unusualSizes: number;
  /** Claims created or changed with a type that affects no score, or with values that contradict each other. */
  claimsToCheck: number;
  /** Rows of claims with an earlier valuation than the claim has, which change nothing. */
  olderValuations: number;
};

export const NO_WORDED_IMPORT_NOTES: WordedImportNotes = {
  buildingYears: 0,
  earlyYears: 0,
  unusualSizes: 0,
  claimsToCheck: 0,
  olderValuations: 0,
};

const SENTENCES: Readonly<Record<keyof WordedImportNotes, (records: string) => string>> = {
  buildingYears: (n) => `Appliances without an install year, which have their building's: ${n}.`,
  earlyYears: (n) => `Appliances with an install year before their building's: ${n}.`,
  unusualSizes: (n) =>
    `Appliances with a size that is unusual for their type, or has no effect: ${n}. Check the unit.`,
  claimsToCheck: (n) =>
    `Claims with a type that affects no score, or with values that contradict each other: ${n}.`,
  olderValuations: (n) =>
    `Rows of claims that changed nothing, because they were valued before the claim was: ${n}.`,
};
const NAMES = Object.keys(SENTENCES) as (keyof WordedImportNotes)[];

/** Returns the notes of a record that has others too. */
export const importNoteWordings = (counts: WordedImportNotes): WordedImportNotes => {
  const { buildingYears, earlyYears, unusualSizes, claimsToCheck, olderValuations } = counts;
  return { buildingYears, earlyYears, unusualSizes, claimsToCheck, olderValuations };
};

/** Adds up the notes of two parts of an import. */
export function importNoteSumWording(a: WordedImportNotes, b: WordedImportNotes): WordedImportNotes {
  const sum = { ...a };
  for (const name of NAMES) sum[name] += b[name];
  return sum;
}

/** Returns a sentence for each count above zero. */
export const importNotesWording = (notes: WordedImportNotes): string[] =>
  NAMES.filter((name) => notes[name] > 0).map((name) => SENTENCES[name](notes[name].toLocaleString("en-US")));
