import { dayOf } from "../domain/time.ts";
import { loadKnowledge } from "../knowledge/load.ts";
import { courteousPause } from "../usecases/courtesy.ts";
import { takeSnapshot } from "../usecases/take-snapshot.ts";
import { command } from "./command.ts";
import { withData } from "./data.ts";

export const snapshotCommand = command({
  name: "snapshot",
  summary: "take today's snapshot now: score every component, announce what crossed a tier",
  description:
    "A day has one snapshot: asked again, it changes nothing. The server may run at the same time.",
  async run(context) {
    const day = dayOf(context.now());
    const result = await withData(context, ({ store }) =>
      takeSnapshot(
        { store, knowledge: loadKnowledge(), clock: context.now, pause: courteousPause(store, context.now) },
        day,
      ),
    );
    context.print(
      {
        date: result.date,
        components: result.components,
        changed: result.changed,
        critical: result.critical,
        warning: result.warning,
        good: result.good,
        announced: result.announced,
        duration_ms: result.durationMs,
        already_done: result.alreadyDone,
      },
      result.alreadyDone
        ? `The snapshot of ${result.date} was taken before; nothing was changed.`
        : `Snapshot of ${result.date}: ${result.components} components, ${result.critical} critical, ` +
            `${result.warning} warning, ${result.good} good; ${result.announced} tier changes announced ` +
            `(${(result.durationMs / 1000).toFixed(1)} s).`,
    );
  },
});
