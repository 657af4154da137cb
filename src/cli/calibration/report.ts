import { type Calibration, furthestMoved } from "../../domain/calibration/calibration.ts";
import { FEWEST_FAILURES, type KindFit } from "../../domain/calibration/fit.ts";
import type { Interval, Measures } from "../../domain/calibration/proof.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { scaleFromMedian } from "../../domain/scoring/weibull.ts";
import type { CalibrationContent } from "../../web/calibration/content.ts";
import { textTable } from "../terminal/text-table.ts";

const MOVED_ON_PAGE = 20;
const MOVED_ON_TERMINAL = 10;

/** What the page of a calibration shows, in the words of the knowledge base. */
export function pageContent(knowledge: Knowledge, calibration: Calibration): CalibrationContent {
  const { fit, validation, dCalibration } = calibration;
  return {
    asOf: calibration.asOf,
    plainModel: knowledge.modelVersion,
    lives: fit.lives,
    failures: fit.failures,
    frailtyShape: fit.frailtyShape,
    strength: fit.corrections.strength,
    failuresYearAgo: calibration.failuresYearAgo,
    validation,
    ends: dCalibration,
    moved: furthestMoved(fit.kinds, MOVED_ON_PAGE).map((kind) => movedKind(knowledge, kind)),
    curves: calibration.curves.map(({ defId, ...curve }) => {
      const { medianLifeYears, weibullShape } = knowledge.component(defId);
      const bookScale = scaleFromMedian(medianLifeYears, weibullShape);
      return {
        ...curve,
        name: nameOf(knowledge, defId),
        shape: weibullShape,
        bookScale,
        fittedScale: bookScale * (fit.corrections.lifeFactors.get(defId) ?? 1),
        frailtyShape: fit.frailtyShape,
      };
    }),
  };
}

function movedKind(knowledge: Knowledge, { defId, lifeFactor, failures, expected }: KindFit) {
  const bookMedian = knowledge.component(defId).medianLifeYears;
  const name = nameOf(knowledge, defId);
  return { name, lifeFactor, bookMedian, fittedMedian: bookMedian * lifeFactor, failures, expected };
}

function nameOf(knowledge: Knowledge, defId: string): string {
  const { name, typeId } = knowledge.component(defId);
  return `${knowledge.type(typeId).name}: ${name}`;
}

/** The report for a terminal. */
export function calibrationText(
  knowledge: Knowledge,
  calibration: Calibration,
  { page, ending }: { page: string | undefined; ending: string },
): string {
  const { fit, validation, dCalibration } = calibration;
  const { before, after } = validation;
  const kinds = furthestMoved(fit.kinds, MOVED_ON_TERMINAL).map((kind) => movedKind(knowledge, kind));
  return [
    `Calibration as of ${calibration.asOf}: ${fit.failures} failures among ${fit.lives} lives on record.`,
    "",
    fit.frailtyShape === null
      ? "Frailty: appliances of one kind do not differ beyond chance."
      : `Frailty: appliances differ, shape ${fit.frailtyShape}.`,
    `Strength of evidence: condition ${fit.corrections.strength.condition.toFixed(2)}, repairs ${fit.corrections.strength.repairs.toFixed(2)} (1: as in the book).`,
    "",
    textTable(
      ["LIFE MOVED MOST", "FACTOR", "BOOK", "FITTED", "FAILURES", "EXPECTED"],
      kinds.map((kind) => [
        kind.name,
        kind.lifeFactor.toFixed(3),
        kind.bookMedian.toFixed(1),
        kind.fittedMedian.toFixed(1),
        kind.failures,
        kind.expected.toFixed(1),
      ]),
    ),
    "",
    `Proof: fitted as of ${validation.from}, from ${calibration.failuresYearAgo} failures; ${validation.components} components forecast until ${validation.to}, of which ${validation.failed} failed.`,
    textTable(
      ["", "PLAIN", "90 %", "CALIBRATED", "90 %"],
      MEASURES.map(([title, name]) => [
        title,
        shown(before.measures[name]),
        interval(before.intervals[name]),
        shown(after.measures[name]),
        interval(after.intervals[name]),
      ]),
    ),
    `D-calibration, χ² of nine: ${dCalibration.before.chiSquared.toFixed(1)} plain, ${dCalibration.after.chiSquared.toFixed(1)} calibrated.`,
    verdict(calibration),
    ...(page === undefined ? [] : ["", `The report with its pictures is in ${page}`]),
    "",
    ending,
  ].join("\n");
}

const MEASURES: readonly (readonly [string, keyof Measures])[] = [
  ["concordance", "concordance"],
  ["Brier skill", "brierSkill"],
  ["calibration error", "calibrationError"],
  ["log loss", "logLoss"],
];

const shown = (value: number | null) => (value === null ? "-" : value.toFixed(4));
const interval = (found: Interval | null) =>
  found ? `${found.low.toFixed(4)} to ${found.high.toFixed(4)}` : "-";

function verdict({ failuresYearAgo, validation: { better, logLossDifference } }: Calibration): string {
  if (failuresYearAgo < FEWEST_FAILURES)
    return `Not proven: only ${failuresYearAgo} failures were on record a year ago, too few to fit.`;
  if (!logLossDifference) return "Not proven: the year has no outcomes to measure at.";
  const { mean, low, high } = logLossDifference;
  const difference = `the log loss differs by ${mean.toFixed(4)}, within ${low.toFixed(4)} to ${high.toFixed(4)}`;
  return better ? `Proven better: ${difference}.` : `Not proven better: ${difference}.`;
}
