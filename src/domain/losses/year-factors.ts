import { type Knowledge, type LossClass, SYSTEMS, type System } from "../domain-knowledge.ts";

/** The variance of a class's year factor: learned from the operator's record, or of the knowledge base. */
export type YearFactor = { system: System; variance: number; isLearned: boolean };

/** Returns the year factors of all classes; `learned` has the variances that the active calibration learned, by class. */
export const yearFactorsOf = (knowledge: Knowledge, learned: ReadonlyMap<string, number>): YearFactor[] =>
  SYSTEMS.map((system) => ({
    system,
    variance: learned.get(system) ?? knowledge.lossClass(system).yearFactorVariance,
    isLearned: learned.has(system),
  }));

/** Returns the classes of a book with these year factors. */
export function lossClassesWithYearFactors(
  knowledge: Knowledge,
  factors: readonly YearFactor[],
): (system: System) => LossClass {
  const classes = new Map<System, LossClass>();
  for (const { system, variance } of factors)
    classes.set(system, { ...knowledge.lossClass(system), yearFactorVariance: variance });
  return (system) => classes.get(system)!;
}
