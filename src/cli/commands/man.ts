import { command } from "../command.ts";
import { manPage } from "../man-page.ts";

export const manCommand = command({
  description: "`mainstay init --system` installs the page for `man mainstay`.",
  examples: ["mainstay man | man -l -"],
  async run({ print, allCommands }) {
    const page = manPage(await allCommands());
    print({ name: "mainstay.1", page }, page.trimEnd());
  },
});
