import { defineCommand } from "../command.ts";
import { manPageText } from "../man-page.ts";

export const manCommand = defineCommand({
  description: "`mainstay init --system` installs the page for `man mainstay`.",
  examples: ["mainstay man | man -l -"],
  async run({ printForPrograms, allCommands }) {
    const page = manPageText(await allCommands());
    printForPrograms({ name: "mainstay.1", page }, page.trimEnd());
  },
});
