import { WINDOW_TAIL } from "../scoring/failure-window.ts";

/**
 * Counts the outcomes of failure windows over a follow-up (docs/model/calibration.md#proof). Only windows whose start, or
 * whose end, the follow-up reached count for it, which is known before any outcome: a correct model has a tenth of the
 * former fail before their window, and a tenth of the latter outlast it.
 */
export class WindowCounts {
  #begun = 0;
  #early = 0;
  #ended = 0;
  #late = 0;

  /**
   * Adds a component. `survivalAt`: its forecast probability of still working after some days; `followUpDays`: the days
   * that were followed; `failedAfterDays`: the day of its failure, null if it worked to the end.
   */
  add(survivalAt: (days: number) => number, followUpDays: number, failedAfterDays: number | null): void {
    const atEnd = survivalAt(followUpDays);
    if (atEnd > 1 - WINDOW_TAIL) return;
    this.#begun++;
    if (failedAfterDays !== null && survivalAt(failedAfterDays) > 1 - WINDOW_TAIL) this.#early++;
    if (atEnd > WINDOW_TAIL) return;
    this.#ended++;
    if (failedAfterDays === null || survivalAt(failedAfterDays) < WINDOW_TAIL) this.#late++;
  }

  get outcomes(): WindowOutcomes {
    return { begun: this.#begun, early: this.#early, ended: this.#ended, late: this.#late };
  }
}

export type WindowOutcomes = {
  /** Components whose window began within the follow-up, and those of them that failed before it. */
  begun: number;
  early: number;
  /** Components whose window ended within the follow-up, and those of them that outlasted it. */
  ended: number;
  late: number;
};
