import {
  parseApplianceChangeJson,
  serializeAppliance,
  serializeWrittenAppliance,
} from "../../api-schemas/appliance-schema.ts";
import type { ApplianceChange } from "../../domain/appliance.ts";
import { embeddedKnowledge } from "../../knowledge/embedded-knowledge.ts";
import type { Store } from "../../store/store.ts";
import { changeAppliance } from "../../usecases/portfolio/create-or-change-appliance.ts";
import { type Command, defineCommand, requiredCommandArgument, textOption, UsageError } from "../command.ts";
import { withCommandData } from "../command-data-access.ts";
import {
  commandRecordText,
  correctRecordByCommand,
  requireFoundRecordForCommand,
} from "../correction-command.ts";

const find = async ({ read }: Store, id: string) =>
  requireFoundRecordForCommand((await read.appliances.list([id]))[0], "Appliance", id);

const show = defineCommand({
  name: "show",
  summary: "print an appliance, also a retired one",
  arguments: { applianceId: requiredCommandArgument("the appliance's ID") },
  async run(context, { applianceId }) {
    const found = await withCommandData(context, ({ store }) => find(store, applianceId));
    const record = serializeAppliance(embeddedKnowledge(context.config.costs), found);
    context.print(record, commandRecordText(record, context.tableWidth));
  },
});

const move = defineCommand({
  name: "move",
  summary: "move an appliance to another property, unit or type",
  description:
    "The appliance keeps its ID, service events and photos. It moves only to properties of the same partner, and to no unit " +
    "unless --unit names one. Components that only the former type has leave every list with their history; missing ones " +
    "are created. Scores and sums of both properties follow in the same transaction, and the audit log has the fields before " +
    "and after. The server may be running.",
  arguments: { applianceId: requiredCommandArgument("the appliance's ID") },
  options: {
    property: textOption("PROPERTY_ID", "the property that it belongs to"),
    unit: textOption("UNIT_ID", "the unit of the property that it serves"),
    type: textOption("TYPE_ID", "the type that it is of, as listed by GET /v1/appliance-types"),
  },
  examples: [
    "mainstay appliance move A_01j… --property P_01j…",
    "mainstay appliance move A_01j… --type water_heater_electric",
  ],
  async run(context, { applianceId }, { property, unit, type }) {
    const change: ApplianceChange = parseApplianceChangeJson({
      ...(property !== undefined && { property_id: property }),
      ...(unit !== undefined && { unit_id: unit }),
      ...(type !== undefined && { type_id: type }),
    });
    if (Object.keys(change).length === 0)
      throw new UsageError("no destination specified", "Pass --property, --unit or --type.");
    const knowledge = embeddedKnowledge(context.config.costs);
    const record = await withCommandData(context, async ({ store }) => {
      const { partnerId } = await find(store, applianceId);
      return await correctRecordByCommand(context, store, partnerId, async (writer) => {
        const { appliance, components, warnings } = await changeAppliance(writer, applianceId, change);
        return serializeWrittenAppliance(knowledge, appliance, components, warnings);
      });
    });
    const { components, ...shown } = record;
    context.print(record, commandRecordText({ ...shown, components: components.length }, context.tableWidth));
  },
});

export const applianceCommands: readonly Command[] = [show, move];
