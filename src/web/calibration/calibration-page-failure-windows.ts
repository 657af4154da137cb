/** Outcomes of 80% failure windows: components whose window began, or ended, within the year, and those that missed it. */
type WindowOutcomes = { begun: number; early: number; ended: number; late: number };

/** Returns how many failure windows held, by the default model and as calibrated, as rows for people. */
export function calibrationPageFailureWindowRows({
  before,
  after,
}: {
  before: WindowOutcomes;
  after: WindowOutcomes;
}) {
  const row = (name: string, means: string, share: (outcomes: WindowOutcomes) => string) => ({
    name,
    means,
    before: share(before),
    after: share(after),
  });
  return [
    row(
      "Failed before the window",
      "of components whose window began in the year; 10% expected",
      (outcomes) => shareOf(outcomes.early, outcomes.begun),
    ),
    row("Outlasted the window", "of components whose window ended in the year; 10% expected", (outcomes) =>
      shareOf(outcomes.late, outcomes.ended),
    ),
    row(
      "Windows that held",
      "the rest, if both shares are known; 80% expected",
      ({ early, begun, late, ended }) =>
        begun === 0 || ended === 0 ? "–" : percent(1 - early / begun - late / ended),
    ),
  ];
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
const shareOf = (some: number, all: number) =>
  all === 0 ? "–" : `${percent(some / all)} of ${all.toLocaleString("en")}`;
