import { command } from "../command.ts";
import { manPage } from "../man-page.ts";

export const manCommand = command({
  description: "`mainstay init --system` installs the page for `man mainstay`.",
  examples: ["mainstay man | man -l -"],
  async run({ printForPrograms, allCommands }) {
    const page = manPage(await allCommands());
    printForPrograms({ name: "mainstay.1", page }, page.trimEnd());
  },
});
