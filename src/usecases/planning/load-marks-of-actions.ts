import type { Work } from "../../domain/work-mark.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { StoredAction } from "../../store/queries/plan-actions-queries.ts";
import type { Stores } from "../../store/stores.ts";

const SUBJECTS_A_READ = 500;

/** Returns the marks on the work of the actions of plans, by subject. */
export async function loadMarksOfActions(
  { work }: Pick<Stores, "work">,
  plans: readonly { actions: readonly StoredAction[] }[],
  yieldNow: Yield,
): Promise<Map<string, Work>> {
  const subjectIds = plans.flatMap(({ actions }) => actions.map(({ subjectId }) => subjectId));
  const marks = new Map<string, Work>();
  for (let done = 0; done < subjectIds.length; done += SUBJECTS_A_READ) {
    for (const mark of await work.ofSubjects(subjectIds.slice(done, done + SUBJECTS_A_READ)))
      marks.set(mark.subjectId, mark);
    await yieldNow();
  }
  return marks;
}
