import { BUILD } from "../server/server-build-info.ts";
import type { DescribedCommand, Option } from "./command-description.ts";
import { commandArgumentForm, commandOptionFlag, GLOBAL_OPTIONS, SUMMARY } from "./command-line-parser.ts";
import { EXIT } from "./report-command-error.ts";

/** Returns the manual page of all commands in man(7) format. */
export function manPageText(commands: readonly DescribedCommand[]): string {
  return [
    `.TH MAINSTAY 1 "" "Mainstay ${BUILD.version}" "Mainstay"`,
    ".SH NAME",
    `mainstay \\- ${escaped(SUMMARY)}`,
    ".SH SYNOPSIS",
    ".B mainstay",
    ".I command",
    "[options]",
    ".SH GLOBAL OPTIONS",
    ...Object.entries(GLOBAL_OPTIONS).flatMap(([name, option]) => optionLines(name, option)),
    ".SH COMMANDS",
    ...commands.flatMap(commandLines),
    ".SH EXIT STATUS",
    ...[
      [EXIT.done, "success"],
      [EXIT.failed, "failed"],
      [EXIT.badUsage, "incorrect usage"],
      [EXIT.nothingDone, "an import in which every row was rejected"],
      [EXIT.unreadableBackup, "a backup that is damaged, is not a backup, or has another passphrase"],
      [EXIT.bug, "a bug in Mainstay"],
    ].flatMap(([code, meaning]) => [".TP", String(code), String(meaning)]),
    ".SH FILES",
    ...[
      ["./mainstay.toml", "the configuration, unless --config or MAINSTAY_CONFIG specifies another file"],
      ["/etc/mainstay/mainstay.toml", "the configuration of a system service"],
    ].flatMap(([file, meaning]) => [".TP", `.I ${escaped(file!)}`, escaped(meaning!)]),
    "",
  ].join("\n");
}

function commandLines(command: DescribedCommand): string[] {
  const { path, summary, description, examples } = command;
  const args = Object.entries(command.arguments).map(([name, argument]) =>
    commandArgumentForm(name, argument),
  );
  return [
    `.SS ${escaped([path, ...args].join(" "))}`,
    escaped(
      [`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`, description].filter(Boolean).join(" "),
    ),
    ...Object.entries(command.arguments).flatMap(([name, argument]) => [
      ".TP",
      `.I ${escaped(commandArgumentForm(name, argument))}`,
      escaped(argument.description),
    ]),
    ...Object.entries(command.options).flatMap(([name, option]) => optionLines(name, option)),
    ...(examples.length > 0 ? [".P", ".nf", ...examples.map(escaped), ".fi"] : []),
  ];
}

function optionLines(name: string, { placeholder, description }: Option): string[] {
  const form = `\\fB${escaped(commandOptionFlag(name))}\\fR${placeholder ? ` \\fI${escaped(placeholder)}\\fR` : ""}`;
  return [".TP", form, escaped(description)];
}

/** Escapes backslashes, hyphens, and lines that would start with a man(7) request. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .split("\n")
    .map((line) => (/^[.']/.test(line) ? `\\&${line}` : line))
    .join("\n.br\n");
}
