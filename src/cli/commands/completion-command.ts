import { defineCommand, requiredCommandArgument, UsageError } from "../command.ts";
import { completionScript, isCompletionShell, SHELLS } from "../completion-script.ts";

export const completionCommand = defineCommand({
  description: "`mainstay init --system` installs the scripts for all users.",
  arguments: { shell: requiredCommandArgument(SHELLS.join(", ")) },
  examples: [
    "source <(mainstay completion bash)",
    "mainstay completion fish > ~/.config/fish/completions/mainstay.fish",
  ],
  run({ printForPrograms }, { shell }) {
    if (!isCompletionShell(shell))
      throw new UsageError(`expected ${SHELLS.join(" or ")}, got ${JSON.stringify(shell)}`);
    const script = completionScript(shell);
    printForPrograms({ shell, script }, script.trimEnd());
  },
});
