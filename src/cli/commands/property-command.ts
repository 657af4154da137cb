import { serializeProperty, serializeWrittenProperty } from "../../api-schemas/property-schema.ts";
import { OperatorError } from "../../domain/errors.ts";
import type { Store } from "../../store/store.ts";
import { mergeProperties } from "../../usecases/portfolio/merge-properties.ts";
import { type Command, defineCommand, requiredCommandArgument } from "../command.ts";
import { withCommandData } from "../command-data-access.ts";
import {
  commandRecordText,
  correctRecordByCommand,
  requireFoundRecordForCommand,
} from "../correction-command.ts";

const show = defineCommand({
  name: "show",
  summary: "print a property, also a retired one",
  arguments: { propertyId: requiredCommandArgument("the property's ID") },
  async run(context, { propertyId }) {
    const found = await withCommandData(context, async ({ store: { read } }) => {
      const owner = await read.properties.ownerOf(propertyId);
      return owner === undefined ? undefined : await read.properties.find(owner, propertyId);
    });
    const record = serializeProperty(requireFoundRecordForCommand(found, "Property", propertyId));
    context.print(record, commandRecordText(record, context.tableWidth));
  },
});

const merge = defineCommand({
  name: "merge",
  summary: "merge a duplicate into a property",
  description:
    "The duplicate's appliances, service events, photos, claims and embeds move to the property, which also takes the fields " +
    "that it lacks. Warnings name claims whose numbers it has already, and a changed number of units. The duplicate is retired " +
    "and names the property. Merging it again changes nothing. The audit log has the values before and after. The server may be running.",
  arguments: {
    propertyId: requiredCommandArgument("the ID of the property that stays"),
    duplicateId: requiredCommandArgument("the ID of its duplicate"),
  },
  examples: ["mainstay property merge P_01j… P_01k…"],
  async run(context, { propertyId, duplicateId }) {
    const record = await withCommandData(context, async ({ store }) => {
      const owner = await ownerOfBoth(store, propertyId, duplicateId);
      return await correctRecordByCommand(context, store, owner, async (writer) => {
        const { property, warnings } = await mergeProperties(writer, { into: propertyId, from: duplicateId });
        return serializeWrittenProperty(property, warnings);
      });
    });
    context.print(record, commandRecordText(record, context.tableWidth));
  },
});

async function ownerOfBoth({ read }: Store, propertyId: string, duplicateId: string): Promise<string> {
  const [owner, other] = [
    await read.properties.ownerOf(propertyId),
    await read.properties.ownerOf(duplicateId),
  ];
  const unknown = [owner === undefined && propertyId, other === undefined && duplicateId].filter(Boolean);
  const known = requireFoundRecordForCommand(
    unknown.length === 0 ? owner : undefined,
    "Property",
    unknown.join(", "),
  );
  if (known === other) return known;
  throw new OperatorError(
    `${duplicateId} is not a property of the partner of ${propertyId}`,
    "Only properties of one partner can be merged.",
  );
}

export const propertyCommands: readonly Command[] = [show, merge];
