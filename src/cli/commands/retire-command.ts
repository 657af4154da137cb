import { OperatorError } from "../../domain/errors.ts";
import { isRetired, type Retirement } from "../../domain/rules/retirement-rule.ts";
import { dayOf } from "../../domain/time.ts";
import { embeddedKnowledge } from "../../knowledge/embedded-knowledge.ts";
import { requirePartner } from "../../usecases/partners/create-partner-and-credentials.ts";
import type { PortfolioWriter } from "../../usecases/portfolio/portfolio-writer.ts";
import { defineCommand, requiredCommandArgument, switchOption, textOption, UsageError } from "../command.ts";
import { withCommandAdministration } from "../command-data-access.ts";
import { dayOption } from "../command-option-values.ts";

type Changed = Retirement & { seq: number };

/** `mainstay retire`: retires a property or an appliance, or brings it back. */
export const retireCommand = defineCommand({
  name: "retire",
  summary: "retire a property or an appliance, or bring it back",
  description:
    "From its day a retired property or appliance is in no list, alert, figure, plan, snapshot, webhook or billable unit. " +
    "Its history stays, and calibration ends its life there without a failure. A day in the future takes effect then. " +
    "Bringing it back restores it as it was.",
  arguments: { recordId: requiredCommandArgument("the ID of a property or an appliance") },
  options: {
    on: dayOption("the day from which it is retired (default: today)"),
    reason: textOption("TEXT", "why, for the record"),
    restore: switchOption("bring it back"),
  },
  examples: ["mainstay retire P_01j… --on 2026-12-31 --reason Sold", "mainstay retire A_01j… --restore"],
  async run(context, { recordId: id }, { on, reason, restore }) {
    if (restore && (on !== undefined || reason !== undefined))
      throw new UsageError("--restore cannot be used with --on or --reason", "Specify only one of them.");
    const change = restore
      ? { retiredAt: null }
      : { retiredAt: on ?? dayOf(context.now()), retiredReason: reason?.trim() || null };
    const { changeAppliance } = await import("../../usecases/portfolio/create-or-change-appliance.ts");
    const { changeProperty } = await import("../../usecases/portfolio/create-or-change-property.ts");
    const { writePortfolio } = await import("../../usecases/portfolio/portfolio-writer.ts");
    const changed = await withCommandAdministration<Changed>(context, async ({ store, actor }) => {
      const { properties, appliances } = store.read;
      const isProperty = id.startsWith("P_");
      const owner = isProperty ? await properties.ownerOf(id) : (await appliances.list([id]))[0]?.partnerId;
      if (owner === undefined)
        throw new OperatorError(
          `Property or appliance not found: ${id}`,
          "GET /v1/properties and GET /v1/appliances list IDs, with include_retired=true also retired ones.",
        );
      const partner = await requirePartner(store, owner);
      const retire = async (writer: PortfolioWriter): Promise<Changed> =>
        isProperty
          ? await changeProperty(writer, id, change)
          : (await changeAppliance(writer, id, change)).appliance;
      return await writePortfolio(
        store.write,
        embeddedKnowledge(context.config.costs),
        partner,
        retire,
        actor,
      );
    });
    const { retiredAt, retiredReason } = changed;
    const name = id.startsWith("P_") ? "Property" : "Appliance";
    const when = isRetired(changed) ? `is retired since ${retiredAt}` : `will be retired on ${retiredAt}`;
    context.print(
      { id, retired_at: retiredAt, retired_reason: retiredReason, is_retired: isRetired(changed) },
      retiredAt === null ? `${name} ${id} is in service again.` : `${name} ${id} ${when}.`,
    );
  },
});
