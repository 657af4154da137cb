import type { SnapshotResult } from "../../api-schemas/snapshot-schema.ts";
import { serializeSnapshot } from "../../api-schemas/snapshot-schema.ts";
import { dayOf } from "../../domain/time.ts";
import { defineCommand, switchOption } from "../command.ts";
import { withCommandAdministration, withCommandData } from "../command-data-access.ts";

export const snapshotCommand = defineCommand({
  description:
    "There is one snapshot per day. If today's already exists, it is only updated with components added since, or " +
    "rescored if another model was activated since. The server may be running.",
  options: {
    announceModelChange: switchOption("also send alerts for tier changes caused by a change of model"),
    discardLater: switchOption("first delete snapshots dated after today, left by a clock that was ahead"),
  },
  async run(context, _arguments, { announceModelChange, discardLater }) {
    const { embeddedKnowledge } = await import("../../knowledge/embedded-knowledge.ts");
    const { createStoreWriteThrottle, watchStoreForWritesOfOthers } = await import(
      "../../store/store-write-throttle.ts"
    );
    const { discardLaterSnapshots } = await import("../../usecases/snapshot/discard-snapshots.ts");
    const { takeSnapshot } = await import("../../usecases/snapshot/take-snapshot.ts");
    const day = dayOf(context.now());
    const discarded = discardLater
      ? await withCommandAdministration(context, (administration) =>
          discardLaterSnapshots(administration, day, {
            yieldNow: createStoreWriteThrottle(administration.store, context.now),
          }),
        )
      : 0;
    const result = await withCommandData(context, ({ store }) => {
      const othersWrite = watchStoreForWritesOfOthers(store, context.now);
      return takeSnapshot(
        {
          store,
          knowledge: embeddedKnowledge(context.config.costs),
          clock: context.now,
          monotonicMs: () => performance.now(),
          announceModelChange,
          yieldNow: createStoreWriteThrottle(store, context.now, othersWrite),
          othersWrite,
        },
        day,
      );
    });
    context.print(
      {
        ...serializeSnapshot(result),
        ...(discardLater && { discarded }),
      },
      `${discarded > 0 ? `Deleted ${discarded} later snapshots.\n` : ""}${summary(result)}`,
    );
  },
});

function summary({ alreadyDone, date, durationMs, added, ...found }: SnapshotResult): string {
  if (alreadyDone) return `The snapshot of ${date} already exists. No changes.`;
  const seconds = (durationMs / 1000).toFixed(1);
  if (added)
    return (
      `Updated the snapshot of ${date} with ${number(added.components)} new components: ` +
      `${alertsText(added)} (${seconds} s).${endpointsMissing(found.withoutEndpoint)}`
    );
  return (
    `Snapshot of ${date}: ${number(found.components)} components, ${number(found.critical)} critical, ` +
    `${number(found.warning)} warning, ${number(found.good)} good; ${alertsText(found)} ` +
    `(${seconds} s).${endpointsMissing(found.withoutEndpoint)}${modelChange(found.suppressed)}`
  );
}

const number = (count: number) => count.toLocaleString("en-US");

const alertsText = ({ announced, queued }: { announced: number; queued: number }) =>
  `${number(announced)} tier changes, ${number(queued)} deliveries queued`;

/** The maximum number of partners listed. */
const MAX_LISTED = 5;

function endpointsMissing(partners: SnapshotResult["withoutEndpoint"]): string {
  if (partners.length === 0) return "";
  const named = partners.slice(0, MAX_LISTED).map(({ id, name }) => `${name} (${id})`);
  const more = partners.length > MAX_LISTED ? ` and ${partners.length - MAX_LISTED} more` : "";
  return (
    `\nNo webhooks sent to ${named.join(", ")}${more}: no endpoint configured. Set one with \`mainstay partner ` +
    "set-webhook`, then send the current alerts with `mainstay partner announce`."
  );
}

function modelChange(suppressed: number): string {
  if (suppressed === 0) return "";
  return `\nThe model changed since the previous snapshot: no alerts sent for ${number(suppressed)} tier changes.`;
}
