import type { SnapshotResult } from "../../domain/snapshot.ts";
import { dayOf } from "../../domain/time.ts";
import { snapshotRecord } from "../../wire/snapshot.ts";
import { command, flag } from "../command.ts";
import { withAdministration, withData } from "../data.ts";

export const snapshotCommand = command({
  description:
    "A day has one snapshot: asked again, it takes in what was registered since and changes nothing else, unless " +
    "another model was put to use since: then it scores the day again. The server may run at the same time.",
  options: {
    announceModelChange: flag(
      "announce also what moved because another model than in the snapshot before scored it",
    ),
    discardLater: flag("first forget snapshots of days after today, which a clock that was ahead has left"),
  },
  async run(context, _arguments, { announceModelChange, discardLater }) {
    const { loadKnowledge } = await import("../../knowledge/load.ts");
    const { courteousPause } = await import("../../usecases/courtesy.ts");
    const { discardLaterSnapshots } = await import("../../usecases/discard-snapshots.ts");
    const { takeSnapshot } = await import("../../usecases/take-snapshot.ts");
    const day = dayOf(context.now());
    const discarded = discardLater
      ? await withAdministration(context, (administration) =>
          discardLaterSnapshots(administration, day, {
            pause: courteousPause(administration.store, context.now),
          }),
        )
      : 0;
    const result = await withData(context, ({ store }) =>
      takeSnapshot(
        {
          store,
          knowledge: loadKnowledge(),
          clock: context.now,
          ticks: () => performance.now(),
          announceModelChange,
          pause: courteousPause(store, context.now),
        },
        day,
      ),
    );
    context.print(
      {
        ...snapshotRecord(result),
        ...(discardLater && { discarded }),
      },
      `${discarded > 0 ? `${discarded} snapshots of later days are forgotten.\n` : ""}${summary(result)}`,
    );
  },
});

function summary({ alreadyDone, date, durationMs, takenIn, ...found }: SnapshotResult): string {
  if (alreadyDone) return `The snapshot of ${date} was taken before; nothing was changed.`;
  const seconds = (durationMs / 1000).toFixed(1);
  if (takenIn)
    return (
      `The snapshot of ${date} was taken before; it takes in ${takenIn.components} components registered since: ` +
      `${announcements(takenIn)} (${seconds} s).${untold(found.withoutReceiver)}`
    );
  return (
    `Snapshot of ${date}: ${found.components} components, ${found.critical} critical, ` +
    `${found.warning} warning, ${found.good} good; ${announcements(found)} ` +
    `(${seconds} s).${untold(found.withoutReceiver)}${modelChange(found.heldBack)}`
  );
}

const announcements = ({ announced, queued }: { announced: number; queued: number }) =>
  `${announced} tier changes announced, ${queued} deliveries queued`;

/** Partners named at most. */
const MOST_NAMED = 5;

function untold(partners: SnapshotResult["withoutReceiver"]): string {
  if (partners.length === 0) return "";
  const named = partners.slice(0, MOST_NAMED).map(({ id, name }) => `${name} (${id})`);
  const more = partners.length > MOST_NAMED ? ` and ${partners.length - MOST_NAMED} more` : "";
  return (
    `\nNobody is told at ${named.join(", ")}${more}: no receiver is set. Set one with \`mainstay partner ` +
    "set-webhook`; `mainstay partner announce` then tells it the present state."
  );
}

function modelChange(heldBack: number): string {
  if (heldBack === 0) return "";
  return `\nScored by another model than the snapshot before: ${heldBack} tier changes were not announced.`;
}
