import { MAX_DAILY_BUDGET } from "../../domain/partner.ts";
import { changePartner, revokeTokens, setEnabled } from "../../usecases/administer-partner.ts";
import { partnerOverview } from "../../usecases/partner-overview.ts";
import { type Administration, requirePartner } from "../../usecases/partners.ts";
import { fullPartnerRecord } from "../../wire/partner.ts";
import { type Command, command, required, UsageError } from "../command.ts";
import type { Context } from "../context.ts";
import { withAdministration } from "../data.ts";

const disable = command({
  name: "disable",
  summary: "refuse a partner's credentials and let its deliveries wait",
  description: "Its API key and its live tokens are refused at once. What it owns stays.",
  arguments: { partnerId: required("the partner's id") },
  run: (context, { partnerId }) =>
    change(context, partnerId, `${partnerId} is disabled.`, (to) => setEnabled(to, partnerId, false)),
});

const enable = command({
  name: "enable",
  summary: "accept a disabled partner's credentials again",
  description: "Deliveries that waited go out. Tokens from before it was disabled stay ended.",
  arguments: { partnerId: required("the partner's id") },
  run: (context, { partnerId }) =>
    change(context, partnerId, `${partnerId} is enabled.`, (to) => setEnabled(to, partnerId, true)),
});

const setBudget = command({
  name: "set-budget",
  summary: "set how many calls a partner has a day",
  description: "Counts from now on, for the calls that it has made today too.",
  arguments: { partnerId: required("the partner's id"), calls: required("calls a UTC day") },
  examples: ["mainstay partner set-budget PARTNER_… 5000"],
  async run(context, { partnerId, calls }) {
    const dailyBudget = /^\d{1,10}$/.test(calls) ? Number(calls) : Number.NaN;
    if (!(dailyBudget <= MAX_DAILY_BUDGET))
      throw new UsageError(
        `<calls>: expected a whole number from 0 to ${MAX_DAILY_BUDGET}, got ${JSON.stringify(calls)}`,
      );
    await change(context, partnerId, `${partnerId} has ${dailyBudget} calls a day.`, (to) =>
      changePartner(to, partnerId, { dailyBudget }),
    );
  },
});

const revoke = command({
  name: "revoke-tokens",
  summary: "end a partner's bearer tokens at once",
  description: "Its API key and its client credentials stay valid: it can ask for a new token.",
  arguments: { partnerId: required("the partner's id") },
  run: (context, { partnerId }) =>
    change(context, partnerId, `The tokens of ${partnerId} have ended.`, (to) => revokeTokens(to, partnerId)),
});

/** A partner, switched on and off and held to its budget. */
export const controlCommands: readonly Command[] = [disable, enable, setBudget, revoke];

/** Makes the change and prints the partner as it is then. */
async function change(
  context: Context,
  partnerId: string,
  done: string,
  run: (administration: Administration) => Promise<void>,
): Promise<void> {
  const record = await withAdministration(context, async (administration) => {
    await requirePartner(administration.store, partnerId);
    await run(administration);
    const { store } = administration;
    return fullPartnerRecord(await partnerOverview(store, await requirePartner(store, partnerId)));
  });
  context.print(record, done);
}
