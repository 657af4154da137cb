import { expect, test } from "bun:test";
import { loadCommandModule } from "../../src/cli/command.ts";
import type { CommandHost } from "../../src/cli/command-context.ts";
import { runCommandLine } from "../../src/cli/command-line-program.ts";
import { COMMANDS } from "../../src/cli/command-list.ts";

const commands = await Promise.all(COMMANDS.map(loadCommandModule));

/** The words of every command and group. */
const paths = commands.flatMap((entry) => [
  [entry.name],
  ...("commands" in entry ? entry.commands.map(({ name }) => [entry.name, name]) : []),
]);

/** Runs a command line of the program and returns its output. */
async function run(...argv: string[]) {
  const outcome = { code: -1, out: "", err: "" };
  const output = (stream: "out" | "err") => ({
    write(text: string) {
      outcome[stream] += text;
    },
  });
  const host: CommandHost = {
    stdout: output("out"),
    texts: output("out"),
    stderr: output("err"),
    logLines: output("err"),
    env: {},
    cwd: "/nowhere",
    root: "/nowhere",
    isTty: false,
    columns: 100,
    tableWidth: Number.POSITIVE_INFINITY,
    now: () => 0,
    random: (bytes) => bytes,
    guard: () => {},
    betweenSteps: (yieldNow) => yieldNow,
    lowerPriority: () => {},
  };
  outcome.code = await runCommandLine(argv, host);
  return outcome;
}

// Rule: command-form
test.each(paths.map((path) => [path.join(" "), path] as const))(
  "%s --help shows the purpose, arguments and options",
  async (name, path) => {
    const { code, out, err } = await run(...path, "--help");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toStartWith(`Usage: mainstay ${name} `);
    for (const option of ["--config <FILE>", "--data-dir <DIR>", "--json", "-h, --help"])
      expect(out).toContain(option);
    const [described = ""] = out.split("\nExamples:");
    for (const line of described.split("\n")) expect(line.length, line).toBeLessThanOrEqual(100);
  },
);

test("the program's help lists every command", async () => {
  const { out } = await run("--help");
  for (const { name } of COMMANDS) expect(out).toMatch(new RegExp(`^  ${name} `, "m"));
});

// Rule: misspelled-command
test.each(paths.map((path) => [path.join(" "), path] as const))(
  "%s rejects a misspelled option and suggests the correct one",
  async (_, path) => {
    const { code, out, err } = await run(...path, "--jsno");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("unknown option '--jsno'");
    expect(err).toContain("Did you mean --json?");
  },
);
