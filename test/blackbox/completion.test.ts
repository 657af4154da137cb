import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXECUTABLE } from "../support/executable.ts";
import { runMainstay, useMainstay } from "../support/mainstay.ts";

const { folder } = useMainstay();

const complete = async (...words: string[]) => {
  const { code, stdout, stderr } = await runMainstay(["complete", "--", ...words], { cwd: folder() });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  const directive = lines.pop();
  return { words: lines.map((line) => line.split("\t")[0]!), directive };
};

describe("completion", () => {
  test.each([
    [["par"], ["partner"]],
    [
      ["partner", "rotate-"],
      ["rotate-key", "rotate-secret", "rotate-webhook-secret"],
    ],
    [["partner", "create", "Acme", "--web"], ["--webhook-url"]],
    [["serve", "--port", "80", "--po"], []],
    [["--data-dir", "partner", "vers"], ["version"]],
    [
      ["export", "--format", ""],
      ["ndjson", "cobie"],
    ],
    [["export", "--partner", ""], []],
    [["nonsense", "--js"], ["--json"]],
  ])("after %p is %p", async (typed, expected) => {
    expect(await complete(...typed)).toEqual({ words: expected, directive: ":4" });
  });

  test("starts with all commands and their summaries", async () => {
    const { stdout } = await runMainstay(["complete", "--", ""]);
    const [, list = ""] = (await runMainstay(["help"])).stdout.split("\nCommands:\n");
    const listed = [...list.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name]) => name!);
    const offered = stdout.split("\n").filter((line) => line.includes("\t"));
    expect(offered.map((line) => line.split("\t")[0]!)).toEqual(listed.filter((name) => name !== "help"));
    for (const line of offered) expect(line.split("\t")[1]!.length, line).toBeGreaterThan(5);
  });

  test("offers files for an option that takes one", async () => {
    expect(await complete("serve", "--config", "")).toEqual({ words: [], directive: ":0" });
  });
});

describe("in bash", () => {
  let place: string;
  beforeAll(() => {
    place = folder();
    mkdirSync(join(place, "bin"));
    symlinkSync(EXECUTABLE, join(place, "bin/mainstay"));
    writeFileSync(join(place, "properties.csv"), "");
  });

  /** Returns the completions of bash for the typed words. */
  async function pressTab(...words: string[]): Promise<string[]> {
    const { stdout: script } = await runMainstay(["completion", "bash"]);
    const shell = Bun.spawn(
      // Twice, since users may source the file again.
      [
        "bash",
        "-c",
        `${script}\n${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mainstay; printf '%s\\n' "\${COMPREPLY[@]}"`,
        "-",
        ...words,
      ],
      { cwd: place, env: { PATH: `${place}/bin:/usr/bin:/bin` }, stdio: ["ignore", "pipe", "pipe"] },
    );
    const [stdout, stderr] = await Promise.all([
      new Response(shell.stdout).text(),
      new Response(shell.stderr).text(),
    ]);
    expect({ code: await shell.exited, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout.split("\n").filter((line) => line !== "");
  }

  test("completes commands, options and files", async () => {
    expect(await pressTab("mainstay", "partner", "rotate-k")).toEqual(["rotate-key"]);
    expect(await pressTab("mainstay", "snapshot", "--discard")).toEqual(["--discard-later"]);
    expect(await pressTab("mainstay", "import", "--properties", "prop")).toEqual(["properties.csv"]);
  });

  test("never evaluates the typed text", async () => {
    expect(await pressTab("mainstay", "$(touch ran)", "`touch ran`", "; touch ran;")).toEqual([]);
    expect(readdirSync(place).toSorted()).toEqual(["bin", "properties.csv"]);
  });
});

test.each(["zsh", "fish"])("the script for %s calls the executable", async (shell) => {
  const { code, stdout } = await runMainstay(["completion", shell]);
  expect(code).toBe(0);
  expect(stdout).toContain(" complete -- ");
});

test("an unsupported shell is rejected with the supported ones", async () => {
  const { code, stdout, stderr } = await runMainstay(["completion", "tcsh"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain('expected bash or zsh or fish, got "tcsh"');
});

test("the manual page has every command with its options", async () => {
  const { code, stdout: page } = await runMainstay(["man"]);
  expect(code).toBe(0);
  expect(page).toStartWith(".TH MAINSTAY 1 ");
  const sections = [...page.matchAll(/^\.SS (.+)$/gm)].map(([, title]) => title!.replaceAll("\\-", "-"));
  expect(sections).toContain("partner create <name>");
  expect(sections.length).toBeGreaterThan(30);
  expect(page.replaceAll("\\-", "-")).toContain("\\fB--webhook-url\\fR \\fIURL\\fR");
  // Lines that start with a dot are requests to the formatter.
  const requests = new Set([...page.matchAll(/^[.'](\S*)/gm)].map(([, name]) => name!));
  expect([...requests].toSorted()).toEqual(["B", "I", "P", "SH", "SS", "TH", "TP", "br", "fi", "nf"]);
});
