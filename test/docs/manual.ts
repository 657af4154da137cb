import { readFileSync } from "node:fs";
import { join } from "node:path";

export const MANUAL = join(import.meta.dir, "../../docs/operating.md");
export const RENEW = "bun test/docs/renew.ts";

export const readManual = () => readFileSync(MANUAL, "utf8");

/** Returns the text between two marker comments, such as `<!-- routes -->` and `<!-- end of routes -->`. */
export function marked(manual: string, name: string): string {
  const text = new RegExp(`<!-- ${name} -->\n([\\s\\S]*?)<!-- end of ${name} -->`).exec(manual)?.[1];
  if (text === undefined) throw new Error(`the manual has no part marked ${name}`);
  return text;
}

/** Returns the code in the first cell of each row of a table. */
export function firstCells(table: string): string[] {
  return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, cell]) => cell!);
}

export type Step = { command: string; output: string[] };

/**
 * Returns the commands of the text's console blocks in order, each with its documented output. A backslash at the end of a
 * line continues a command. Trailing empty lines are not part of the output.
 */
export function consoleSteps(manual: string): Step[] {
  const steps: Step[] = [];
  for (const [, block] of manual.matchAll(/^```console\n([\s\S]*?)^```$/gm))
    for (const line of block!.trimEnd().split("\n")) {
      const step = steps.at(-1);
      if (line.startsWith("$ ")) steps.push({ command: line.slice(2), output: [] });
      else if (step!.output.length === 0 && step!.command.endsWith("\\")) step!.command += `\n${line}`;
      else step!.output.push(line);
    }
  for (const { output } of steps) while (output.at(-1) === "") output.pop();
  return steps;
}
