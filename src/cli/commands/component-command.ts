import {
  componentChange,
  parseComponentChangeJson,
  serializeChangedComponent,
} from "../../api-schemas/component-change-schema.ts";
import { serializeComponent } from "../../api-schemas/component-schema.ts";
import { apiInputCsvColumns } from "../../api-schemas/definition/api-input-csv-columns.ts";
import { embeddedKnowledge } from "../../knowledge/embedded-knowledge.ts";
import { loadPartnerPrices } from "../../usecases/costs/load-partner-prices.ts";
import { requirePartner } from "../../usecases/partners/create-partner-and-credentials.ts";
import { changeComponent, loadComponentOfPartner } from "../../usecases/portfolio/change-component.ts";
import { type Command, defineCommand, requiredCommandArgument } from "../command.ts";
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
  summary: "print a component",
  arguments: { componentId: requiredCommandArgument("the component's ID") },
  async run(context, { componentId }) {
    const knowledge = embeddedKnowledge(context.config.costs);
    const record = await withCommandData(context, async (data) => {
      const { read } = data.store;
      const owner = requireFoundRecordForCommand(
        await read.components.ownerOf(componentId),
        "Component",
        componentId,
      );
      const prices = await loadPartnerPrices(read, knowledge, await requirePartner(data.store, owner));
      const component = await loadComponentOfPartner(read, owner, componentId);
      return serializeComponent(prices, component, await read.snapshots.latestSnapshotAt());
    });
    context.print(record, commandRecordText(record, context.tableWidth));
  },
});

const update = defineCommand({
  name: "update",
  summary: "correct a component's life, year, past or costs",
  description:
    "Scores, plans and sums follow in the same transaction, and the audit log has the values before and after. The server " +
    "may be running.",
  arguments: { componentId: requiredCommandArgument("the component's ID") },
  options: correctionOptions,
  examples: [
    "mainstay component update C_… --set install_year=2015 --set original=true",
    "mainstay component update C_… --set proactive_cost=1900 --clear override_lifespan",
  ],
  async run(context, { componentId }, given) {
    const kinds = { ...apiInputCsvColumns(componentChange), original: "flag" } as const;
    const change = parseComponentChangeJson(correctionBodyOfCommand(kinds, given));
    const record = await withCommandData(context, async ({ store }) => {
      const owner = requireFoundRecordForCommand(
        await store.read.components.ownerOf(componentId),
        "Component",
        componentId,
      );
      return await correctRecordByCommand(context, store, owner, async (writer) => {
        const changed = await changeComponent(writer, componentId, change);
        const latestSnapshotAt = await writer.tx.snapshots.latestSnapshotAt();
        return serializeChangedComponent(await writer.prices(), changed, latestSnapshotAt);
      });
    });
    context.print(record, commandRecordText(record, context.tableWidth));
  },
});

export const componentCommands: readonly Command[] = [show, update];
