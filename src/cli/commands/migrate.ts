import { command } from "../command.ts";
import { withData } from "../data.ts";

export const migrateCommand = command({
  async run(context) {
    const applied = await withData(context, async ({ store }) => store.applied.map(({ name }) => name));
    context.print(
      { applied },
      applied.length === 0 ? "The database is up to date." : `Applied: ${applied.join(", ")}`,
    );
  },
});
