import { apiInputCsvColumns } from "../../api-schemas/definition/api-input-csv-columns.ts";
import {
  newServiceEvent,
  parseServiceEventChangeJson,
  type ServiceEventRequest,
  serializeServiceEvent,
} from "../../api-schemas/service-event-schema.ts";
import { correctServiceEvent } from "../../usecases/history/record-service-events.ts";
import { type Command, defineCommand, requiredCommandArgument, textOption } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { withCommandData } from "../command-data-access.ts";
import {
  commandRecordText,
  correctionBodyOfCommand,
  correctionOptions,
  correctRecordByCommand,
  requireFoundRecordForCommand,
} from "../correction-command.ts";

const show = defineCommand({
  name: "show",
  summary: "print a service event, also a voided one",
  arguments: { eventId: requiredCommandArgument("the service event's ID") },
  async run(context, { eventId }) {
    const record = await withCommandData(context, async ({ store: { read } }) => {
      const partnerId = await read.serviceEvents.ownerOf(eventId);
      const found = partnerId && (await read.serviceEvents.find(partnerId, eventId));
      return serializeServiceEvent(
        requireFoundRecordForCommand(found || undefined, "Service event", eventId),
      );
    });
    context.print(record, commandRecordText(record, context.tableWidth));
  },
});

const update = defineCommand({
  name: "update",
  summary: "correct fields of a service event",
  description:
    "Dates of components and scores follow in the same transaction, and the audit log has the fields before and after. " +
    "The server may be running.",
  arguments: { eventId: requiredCommandArgument("the service event's ID") },
  options: correctionOptions,
  examples: ["mainstay event update SE_… --set date=2026-03-01 --set condition_after=poor --clear notes"],
  async run(context, { eventId }, given) {
    const kinds = {
      ...apiInputCsvColumns(newServiceEvent),
      inspection_types: "list",
      condition_scale: "range",
    } as const;
    await apply(context, eventId, parseServiceEventChangeJson(correctionBodyOfCommand(kinds, given)));
  },
});

const voiding = defineCommand({
  name: "void",
  summary: "void a service event: it is kept, and no longer counts",
  description:
    "A voided event cannot be changed or brought back: log it again. Voiding it twice changes nothing, except that a reason " +
    "is added to one without.",
  arguments: { eventId: requiredCommandArgument("the service event's ID") },
  options: { reason: textOption("TEXT", "the reason, for the record") },
  examples: ["mainstay event void SE_… --reason 'logged on the wrong building'"],
  async run(context, { eventId }, { reason }) {
    await apply(context, eventId, parseServiceEventChangeJson({ voided: true, ...(reason && { reason }) }));
  },
});

async function apply(context: CommandContext, eventId: string, request: ServiceEventRequest): Promise<void> {
  const changed = await withCommandData(context, async ({ store }) => {
    const owner = requireFoundRecordForCommand(
      await store.read.serviceEvents.ownerOf(eventId),
      "Service event",
      eventId,
    );
    return await correctRecordByCommand(context, store, owner, (writer) =>
      correctServiceEvent(writer, eventId, request),
    );
  });
  const record = serializeServiceEvent(changed);
  context.print(record, commandRecordText(record, context.tableWidth));
}

export const eventCommands: readonly Command[] = [show, update, voiding];
