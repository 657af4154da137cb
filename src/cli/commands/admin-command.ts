import { serializeAdministrator, serializeNewAdministrator } from "../../api-schemas/administrator-schema.ts";
import {
  createAdministrator,
  revokeAdministrator,
} from "../../usecases/administration/create-or-revoke-administrator.ts";
import { type Command, defineCommand, requiredCommandArgument } from "../command.ts";
import { withCommandAdministration, withCommandData } from "../command-data-access.ts";
import { terminalTable } from "../terminal/terminal-table.ts";
import { terminalMinuteText } from "../terminal/terminal-time-text.ts";

const create = defineCommand({
  name: "create",
  summary: "create an administrator and print the key (shown once)",
  arguments: { name: requiredCommandArgument("the administrator's name") },
  examples: ['mainstay admin create "Night shift"'],
  async run(context, { name }) {
    const { id, key } = await withCommandAdministration(context, (administration) =>
      createAdministrator(administration, name),
    );
    context.print(
      serializeNewAdministrator(id, key),
      `Administrator  ${id}\nKey            ${key}\n\nSave the key now; it is not shown again.`,
    );
  },
});

const list = defineCommand({
  name: "list",
  summary: "list all administrators, including those with a revoked key",
  async run(context) {
    const found = await withCommandData(context, ({ store }) => store.read.administrators.list());
    const administrators = found.map(serializeAdministrator);
    context.print(
      { administrators },
      administrators.length === 0
        ? 'No administrators yet. Create one: mainstay admin create "NAME"'
        : terminalTable(
            ["ADMINISTRATOR", "CREATED (UTC)", "REVOKED (UTC)", { heading: "NAME", shrinks: true }],
            administrators.map((administrator) => [
              administrator.admin_id,
              terminalMinuteText(administrator.created_at, context.tableWidth),
              terminalMinuteText(administrator.revoked_at, context.tableWidth),
              administrator.name,
            ]),
            context.tableWidth,
          ),
    );
  },
});

const revoke = defineCommand({
  name: "revoke",
  summary: "revoke an administrator's key immediately",
  arguments: { adminId: requiredCommandArgument("the administrator's ID") },
  async run(context, { adminId }) {
    await withCommandAdministration(context, (administration) =>
      revokeAdministrator(administration, adminId),
    );
    context.print({ admin_id: adminId, revoked: true }, `Revoked the key of ${adminId}.`);
  },
});

export const adminCommands: readonly Command[] = [create, list, revoke];
