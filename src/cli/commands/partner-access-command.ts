import { serializeFullPartner } from "../../api-schemas/partner-schema.ts";
import { MAX_DAILY_BUDGET } from "../../domain/partner.ts";
import {
  changePartner,
  enableOrDisablePartner,
  revokePartnerTokens,
} from "../../usecases/partners/administer-partner.ts";
import {
  type AdminUseCaseDeps,
  requirePartner,
} from "../../usecases/partners/create-partner-and-credentials.ts";
import { loadPartnerOverview } from "../../usecases/partners/load-partner-overview.ts";
import { type Command, defineCommand, requiredCommandArgument, UsageError } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { withCommandAdministration } from "../command-data-access.ts";

const rename = defineCommand({
  name: "rename",
  summary: "change a partner's name",
  description: "Takes effect immediately in all responses. Its credentials and data stay as they are.",
  arguments: {
    partnerId: requiredCommandArgument("the partner's ID"),
    name: requiredCommandArgument("the company's name"),
  },
  examples: ['mainstay partner rename PARTNER_… "Acme Insurance"'],
  run: (context, { partnerId, name }) =>
    change(context, partnerId, `Renamed ${partnerId} to ${name.trim()}.`, (to) =>
      changePartner(to, partnerId, { name }),
    ),
});

const disable = defineCommand({
  name: "disable",
  summary: "reject a partner's credentials and hold its deliveries",
  description: "Rejects its API key and tokens immediately. Its data is kept.",
  arguments: { partnerId: requiredCommandArgument("the partner's ID") },
  run: (context, { partnerId }) =>
    change(context, partnerId, `Disabled ${partnerId}.`, (to) =>
      enableOrDisablePartner(to, partnerId, false),
    ),
});

const enable = defineCommand({
  name: "enable",
  summary: "accept a disabled partner's credentials again",
  description: "Sends the held deliveries. Tokens issued before it was disabled remain revoked.",
  arguments: { partnerId: requiredCommandArgument("the partner's ID") },
  run: (context, { partnerId }) =>
    change(context, partnerId, `Enabled ${partnerId}.`, (to) => enableOrDisablePartner(to, partnerId, true)),
});

const setBudget = defineCommand({
  name: "set-budget",
  summary: "set a partner's daily call limit",
  description: "Takes effect immediately. Calls already made today count toward the new limit.",
  arguments: {
    partnerId: requiredCommandArgument("the partner's ID"),
    calls: requiredCommandArgument("API calls per UTC day"),
  },
  examples: ["mainstay partner set-budget PARTNER_… 5000"],
  async run(context, { partnerId, calls }) {
    const dailyBudget = /^\d{1,10}$/.test(calls) ? Number(calls) : Number.NaN;
    if (!(dailyBudget <= MAX_DAILY_BUDGET))
      throw new UsageError(
        `<calls>: expected a whole number from 0 to ${MAX_DAILY_BUDGET}, got ${JSON.stringify(calls)}`,
      );
    await change(context, partnerId, `Daily call limit of ${partnerId}: ${dailyBudget}.`, (to) =>
      changePartner(to, partnerId, { dailyBudget }),
    );
  },
});

const revoke = defineCommand({
  name: "revoke-tokens",
  summary: "revoke a partner's bearer tokens immediately",
  description: "Its API key and client credentials remain valid, so it can request a new token.",
  arguments: { partnerId: requiredCommandArgument("the partner's ID") },
  run: (context, { partnerId }) =>
    change(context, partnerId, `Revoked all tokens for ${partnerId}.`, (to) =>
      revokePartnerTokens(to, partnerId),
    ),
});

/** Commands that rename, enable or disable a partner, set its daily call limit and revoke its tokens. */
export const partnerAccessCommands: readonly Command[] = [rename, disable, enable, setBudget, revoke];

/** Applies the change and prints the updated partner. */
async function change(
  context: CommandContext,
  partnerId: string,
  done: string,
  run: (administration: AdminUseCaseDeps) => Promise<void>,
): Promise<void> {
  const record = await withCommandAdministration(context, async (administration) => {
    await requirePartner(administration.store, partnerId);
    await run(administration);
    const { store } = administration;
    return serializeFullPartner(await loadPartnerOverview(store, await requirePartner(store, partnerId)));
  });
  context.print(record, done);
}
