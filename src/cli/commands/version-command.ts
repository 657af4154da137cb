import { BUILD } from "../../server/server-build-info.ts";
import { defineCommand } from "../command.ts";

export const versionCommand = defineCommand({
  examples: ["mainstay version --json"],
  run({ print }) {
    const { version, commit, target } = BUILD;
    print(
      { name: "mainstay", version, commit, target, bun: Bun.version },
      `mainstay ${version} (commit ${commit}, ${target}, Bun ${Bun.version})`,
    );
  },
});
