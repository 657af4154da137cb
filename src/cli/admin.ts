import { createAdministrator } from "../usecases/partners.ts";
import { type CommandGroup, command, required } from "./command.ts";
import { withAdministration } from "./data.ts";

const create = command({
  name: "create",
  summary: "create an administrator and print the key, this once",
  arguments: { name: required("the administrator's name") },
  examples: ['mainstay admin create "Night shift"'],
  async run(context, { name }) {
    const { id, key } = await withAdministration(context, (administration) =>
      createAdministrator(administration, name),
    );
    context.print(
      { admin_id: id, admin_key: key },
      `Administrator  ${id}\nKey            ${key}\n\nThe key is shown this once.`,
    );
  },
});

export const adminCommands: CommandGroup = {
  name: "admin",
  summary: "create and administer administrators",
  commands: [create],
};
