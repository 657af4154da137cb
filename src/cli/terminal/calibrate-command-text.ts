import { type Calibration, kindsByModelCorrection } from "../../domain/calibration/calibration.ts";
import { FEWEST_FAILURES, type KindFit } from "../../domain/calibration/fit-model-in-steps.ts";
import {
  type ForecastMeasures,
  LACKS_OUTCOMES,
  type Proof,
  type ProofInterval,
} from "../../domain/calibration/model-proof.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { scaleFromMedian } from "../../domain/statistics/weibull-distribution.ts";
import type { CalibrationContent } from "../../web/calibration/calibration-page-content.ts";
import { calibrationPageFailureWindowRows } from "../../web/calibration/calibration-page-failure-windows.ts";
import { type TerminalColumn, terminalTable } from "./terminal-table.ts";

const CHANGES_ON_PAGE = 20;
const CHANGES_ON_TERMINAL = 10;

/** Returns the content of the calibration report page, with the names of the knowledge base. */
export function terminalCalibrationReport(
  knowledge: Knowledge,
  calibration: Calibration,
): CalibrationContent {
  const { fit, validation, dCalibration } = calibration;
  return {
    asOf: calibration.asOf,
    defaultModel: knowledge.modelVersion,
    lives: fit.lives,
    failures: fit.failures,
    frailtyShape: fit.frailtyShape,
    strength: fit.corrections.strength,
    validation,
    deciles: dCalibration,
    corrections: kindsByModelCorrection(fit.kinds, CHANGES_ON_PAGE).map((kind) => movedKind(knowledge, kind)),
    curves: calibration.curves.map(({ defId, ...curve }) => {
      const { medianLifeYears, weibullShape } = knowledge.component(defId);
      const defaultScale = scaleFromMedian(medianLifeYears, weibullShape);
      return {
        ...curve,
        name: nameOf(knowledge, defId),
        shape: weibullShape,
        defaultScale,
        calibratedScale: defaultScale * (fit.corrections.lifeFactors.get(defId) ?? 1),
        frailtyShape: fit.frailtyShape,
      };
    }),
    causes: calibration.sharedCauses,
  };
}

function movedKind(knowledge: Knowledge, { defId, lifeFactor, failures, expected }: KindFit) {
  const defaultMedian = knowledge.component(defId).medianLifeYears;
  const name = nameOf(knowledge, defId);
  return {
    name,
    lifeFactor,
    defaultMedian,
    calibratedMedian: defaultMedian * lifeFactor,
    failures,
    expected,
  };
}

function nameOf(knowledge: Knowledge, defId: string): string {
  const { name, typeId } = knowledge.component(defId);
  return `${knowledge.type(typeId).name}: ${name}`;
}

/** Returns the report for a terminal. */
export function calibrateCommandText(
  knowledge: Knowledge,
  calibration: Calibration,
  { page, ending, width }: { page: string | undefined; ending: string; width: number },
): string {
  const { fit, validation, dCalibration } = calibration;
  const { before, after } = validation;
  const kinds = kindsByModelCorrection(fit.kinds, CHANGES_ON_TERMINAL).map((kind) =>
    movedKind(knowledge, kind),
  );
  return [
    `Calibration as of ${calibration.asOf}: ${fit.failures} failures in ${fit.lives} recorded lifetimes.`,
    "",
    fit.frailtyShape === null
      ? "Frailty: no significant difference between appliances of the same type."
      : `Frailty: appliances differ (shape ${fit.frailtyShape}).`,
    `Strength of evidence: condition ${fit.corrections.strength.condition.toFixed(2)}, repairs ${fit.corrections.strength.repairs.toFixed(2)} (default model: 1).`,
    "",
    terminalTable(
      [
        { heading: "LARGEST LIFETIME CHANGES", shrinks: true },
        ...["FACTOR", "DEFAULT", "CALIBRATED", "FAILURES", "EXPECTED"].map(numbers),
      ],
      kinds.map((kind) => [
        kind.name,
        kind.lifeFactor.toFixed(3),
        kind.defaultMedian.toFixed(1),
        kind.calibratedMedian.toFixed(1),
        kind.failures,
        kind.expected.toFixed(1),
      ]),
      width,
    ),
    "",
    `Validation: calibrated to the ${calibration.failuresYearAgo} failures before ${validation.from}; ${validation.components} components forecast until ${validation.to}, ${validation.failed} failed.`,
    terminalTable(
      ["", ...["DEFAULT", "90% CI", "CALIBRATED", "90% CI"].map(numbers)],
      MEASURES.map(([title, name]) => [
        title,
        shown(before.measures[name]),
        interval(before.intervals[name]),
        shown(after.measures[name]),
        interval(after.intervals[name]),
      ]),
      width,
    ),
    terminalTable(
      [{ heading: "80% FAILURE WINDOWS", shrinks: true }, ...["DEFAULT", "CALIBRATED"].map(numbers)],
      calibrationPageFailureWindowRows(validation.windows).map((row, at) => [
        `${row.name} (${at < 2 ? 10 : 80}% expected)`,
        row.before,
        row.after,
      ]),
      width,
    ),
    `D-calibration (χ², 9 degrees of freedom): ${dCalibration.before.chiSquared.toFixed(1)} default, ${dCalibration.after.chiSquared.toFixed(1)} calibrated.`,
    verdict(calibration),
    ...sharedCausesText(calibration, width),
    ...calibrateCommandBiasWarning(validation),
    ...(page === undefined ? [] : ["", `Report written to ${page}`]),
    "",
    ending,
  ].join("\n");
}

/** Returns the variances of year factors that losses use, with the years that they did not foresee. */
function sharedCausesText(
  { sharedCauses: { classes, years, outside } }: Calibration,
  width: number,
): string[] {
  const learned = classes.filter(({ isLearned }) => isLearned);
  if (learned.length === 0)
    return [
      "Shared causes: no class has five whole years and 50 failures on record; the default variances remain.",
    ];
  return [
    "",
    terminalTable(
      ["SHARED CAUSES", ...["YEARS", "FAILURES", "EXPECTED", "DEFAULT", "LEARNED"].map(numbers)],
      learned.map(({ system, years, failures, expected, bookVariance, variance }) => [
        system,
        years,
        failures,
        expected.toFixed(1),
        bookVariance.toFixed(3),
        variance.toFixed(3),
      ]),
      width,
    ),
    `Years outside their 90% interval: ${outside.before} of ${years.length} with the default variances, ${outside.after} with those learned from the other years.`,
  ];
}

const numbers = (heading: string): TerminalColumn => ({ heading, align: "right" });

const MEASURES: readonly (readonly [string, keyof ForecastMeasures])[] = [
  ["concordance", "concordance"],
  ["Brier skill", "brierSkill"],
  ["calibration error", "calibrationError"],
  ["log loss", "logLoss"],
  ["actual/expected", "actualToExpected"],
];

const shown = (value: number | null) => (value === null ? "-" : value.toFixed(4));
const interval = (found: ProofInterval | null) =>
  found ? `${found.low.toFixed(4)} to ${found.high.toFixed(4)}` : "-";

/** Warns of forecasts that are too high or too low in total, which proof by log loss alone does not show. */
export function calibrateCommandBiasWarning({ after, failed }: Pick<Proof, "after" | "failed">): string[] {
  const ratio = after.measures.actualToExpected;
  const range = after.intervals.actualToExpected;
  if (!ratio || !range || (range.low <= 1 && range.high >= 1)) return [];
  const more = ratio < 1 ? "fewer" : "more";
  return [
    `Warning: ${failed} components failed, significantly ${more} than the ${(failed / ratio).toFixed(1)} that the calibrated model expected. Check whether failures are recorded completely; lifetimes may also age differently from the default shape.`,
  ];
}

function verdict({ failuresYearAgo, validation: { better, logLossDifference } }: Calibration): string {
  if (failuresYearAgo < FEWEST_FAILURES)
    return `Not proven: only ${failuresYearAgo} failures were on record a year ago, too few to calibrate.`;
  if (!logLossDifference) return `Not proven: ${LACKS_OUTCOMES}.`;
  const { mean, low, high } = logLossDifference;
  const difference = `log loss changes by ${mean.toFixed(4)} (${low.toFixed(4)} to ${high.toFixed(4)})`;
  return better ? `Proven better: ${difference}.` : `Not proven better: ${difference}.`;
}
