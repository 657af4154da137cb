import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInProcess } from "../support/command-line.ts";
import type { Json } from "../support/json.ts";

/*
 * Calls every command in the help incorrectly in every way that its help allows. New commands and options are included
 * automatically.
 */

type Option = { flag: string; placeholder: string | undefined };
type Command = { path: string[]; args: string[]; options: Option[] };

const place = mkdtempSync(join(tmpdir(), "mainstay-refusals-"));
afterAll(() => rmSync(place, { recursive: true }));

/** Runs a command line of the program in a folder with its own data folder. */
const run = (...argv: string[]) => runInProcess(argv, { cwd: place });

async function helpOf(path: readonly string[]): Promise<string> {
  const { code, stdout } = await run("help", ...path);
  expect(code, `help ${path.join(" ")}`).toBe(0);
  return stdout;
}

/** Returns the commands under a path in its help, or the path itself if it is a command. */
async function commandsBelow(path: string[]): Promise<Command[]> {
  const help = await helpOf(path);
  const [, list] = help.split("\nCommands:\n");
  if (list !== undefined) {
    const names = [...list.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name]) => name!);
    const below = names.filter((name) => name !== "help").map((name) => commandsBelow([...path, name]));
    return (await Promise.all(below)).flat();
  }
  const [usage = "", ...rest] = help.split("\n");
  const options = rest.flatMap((line) => {
    const [, flag, placeholder] = /^ {2}(--[a-z-]+)(?: <([^>]+)>)? {2}/.exec(line) ?? [];
    return flag === undefined || GLOBAL.includes(flag) ? [] : [{ flag, placeholder }];
  });
  const args = [...usage.matchAll(/[<[]([a-z-]+)[>\]]/g)].map(([argument]) => argument);
  return [{ path, args: args.filter((argument) => argument !== "[options]"), options }];
}

/** The options that may be given several times; of one that overrides a setting, the last counts. */
const REPEATED = ["--set", "--clear", "--event", "--map", "--map-values", "--default", "--port"];
const GLOBAL = ["--config", "--data-dir", "--json"];
const COMMANDS = await commandsBelow([]);
const cases = COMMANDS.map((command) => [command.path.join(" "), command] as const);

/** Valid values for arguments, by name. */
const SAMPLES: Readonly<Record<string, string>> = {
  "partner-id": "PARTNER_01m7xtfbnkegg9j7dstwvcm1r5",
  "delivery-id": "WH_1767225600000_abcde",
  "admin-id": "ADM_01m7xtfbnkegg9j7dstwvcm1r5",
  "component-id": "C_01m7xtfbnkegg9j7dstwvcm1r5",
  "property-id": "P_01m7xtfbnkegg9j7dstwvcm1r5",
  "duplicate-id": "P_01m7xtfbnkegg9j7dstwvcm2x7",
  "appliance-id": "A_01m7xtfbnkegg9j7dstwvcm1r5",
  "claim-id": "CLM_01m7xtfbnkegg9j7dstwvcm1r5",
  "event-id": "SE_01m7xtfbnkegg9j7dstwvcm1r5",
  "embed-id": "EMB_01m7xtfbnkegg9j7dstwvcm1r5",
  "record-id": "P_01m7xtfbnkegg9j7dstwvcm1r5",
  name: "Acme",
  calls: "5",
  url: "http://127.0.0.1:9/",
  action: "import",
  file: "nowhere/at-all",
  shell: "bash",
};
const bare = (argument: string) => argument.slice(1, -1);
const isRequired = (argument: string) => argument.startsWith("<");
const sample = (argument: string) => SAMPLES[bare(argument)]!;
/** Placeholders for any text, which cannot be invalid. */
const ANY_TEXT = [
  ...["FILE", "FILE.html", "DIR", "HOST", "URL", "TEXT", "TARGET"],
  ...["ID", "PARTNER_ID", "PROPERTY_ID", "UNIT_ID", "TYPE_ID"],
];
/** The arguments that a command needs in addition to the option under test. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  import: ["--properties", "properties.csv"],
  "appliance move": ["--type", "boiler"],
  "embed update": ["--label", "Committee"],
  "claim update": ["--set", "status=closed"],
  "component update": ["--set", "override_lifespan=20"],
  "event update": ["--set", "date=2026-03-01"],
  "deliveries resend": ["--from", "2026-01-01", "--to", "2026-01-02"],
};
/** Options that find nothing for an unknown ID, since the ID may be of any kind. */
const FILTERS = ["audit --subject", "audit --partner"];

let partnerId: string;
beforeAll(async () => {
  await run("init");
  const { stdout } = await run("partner", "create", "Acme", "--json");
  ({ partner_id: partnerId } = JSON.parse(stdout));
  writeFileSync(join(place, "properties.csv"), "name,address,state\nElm,1 Elm St,NY\n");
});

test("the help lists every command, and this file has a value for each argument", () => {
  expect(COMMANDS.length).toBeGreaterThan(30);
  for (const { path, args } of COMMANDS)
    for (const argument of args)
      expect(SAMPLES, `${path.join(" ")} ${argument}`).toHaveProperty(bare(argument));
});

/** Expects that the command prints nothing on standard output, and one object with error and hint on standard error. */
async function refusal(path: readonly string[], args: readonly string[], code: 1 | 2): Promise<Json> {
  const line = [...path, ...args];
  const outcome = await run(...line, "--json");
  expect({ line, ...outcome }).toEqual({
    line,
    code,
    stdout: "",
    stderr: expect.stringMatching(/^\{.*\}\n$/),
  });
  const report = JSON.parse(outcome.stderr);
  expect(Object.keys(report), line.join(" ")).toEqual(["error", "hint"]);
  for (const text of [report.error, report.hint]) expect(text, line.join(" ")).toMatch(/^\S.{5,}/s);
  expect(report.hint).not.toContain("This is a bug in Mainstay");
  return report;
}

describe.each(cases)("mainstay %s", (_, { path, args, options }) => {
  const given = args.filter(isRequired).map(sample);
  let before: string;
  const unchanged = async (act: () => Promise<void>) => {
    before = fingerprint();
    await act();
    expect(fingerprint()).toBe(before);
  };

  test("rejects an unknown option and an extra argument", () =>
    unchanged(async () => {
      const [unknown, surplus] = await Promise.all([
        refusal(path, [...given, "--no-such-option"], 2),
        refusal(path, [...args.map(sample), "surplus"], 2),
      ]);
      expect(unknown.error).toContain("--no-such-option");
      expect(unknown.hint).toContain("--help");
      expect(surplus.error).toContain("surplus");
      expect(surplus.hint).toContain("--help");
    }));

  for (const [at, argument] of args.filter(isRequired).entries())
    test(`requires ${argument}`, () =>
      unchanged(async () => {
        const { error, hint } = await refusal(path, given.slice(0, at), 2);
        expect(error).toContain(bare(argument));
        expect(hint).toContain("--help");
      }));

  for (const { flag, placeholder } of options.filter((option) => option.placeholder !== undefined))
    test(`rejects ${flag} without a value and with an invalid one`, () =>
      unchanged(async () => {
        const missing = await refusal(path, [...given, flag], 2);
        expect(missing.error).toContain(flag);
        if (ANY_TEXT.includes(placeholder!)) return;
        const twice = await run(...path, ...given, flag, "no such thing", flag, "another", "--json");
        if (twice.stderr.includes("given twice")) expect(JSON.parse(twice.stderr).error).toContain(flag);
        else expect(REPEATED, `${path.join(" ")} ${flag}`).toContain(flag);
        const { error, hint } = await refusal(path, [...given, flag, "no such thing"], 2);
        expect(error).toContain(flag);
        expect(error).toContain("no such thing");
        expect(hint).toBeTruthy();
      }));

  const beside = BESIDE[path.join(" ")] ?? [];
  for (const argument of args.filter((argument) => argument.endsWith("-id>") || argument.endsWith("-id]")))
    test(`rejects an unknown and a malformed ${bare(argument)}`, () =>
      unchanged(async () => {
        for (const id of [sample(argument), "no-such-id"]) {
          const line = args.filter((one) => isRequired(one) || one === argument || beside.length === 0);
          const { error } = await refusal(
            path,
            [
              ...line.map((one) => (one === argument ? id : sample(one))),
              ...(isRequired(argument) ? beside : []),
            ],
            1,
          );
          expect(error).toContain(id);
        }
      }));

  for (const { flag } of options.filter(({ placeholder }) =>
    ["ID", "PARTNER_ID"].includes(placeholder ?? ""),
  ))
    test(`rejects an unknown ID in ${flag}`, () =>
      unchanged(async () => {
        if (FILTERS.includes(`${path.join(" ")} ${flag}`)) {
          expect(await run(...path, flag, "no-such-id", "--json")).toMatchObject({ code: 0 });
          return;
        }
        const { error, hint } = await refusal(path, [...given, flag, "PARTNER_unknown", ...beside], 1);
        expect(error).toContain("PARTNER_unknown");
        expect(hint).toContain("mainstay partner list");
      }));
});

describe("errors found only at run time", () => {
  test.each([
    ["a folder that is not there, to back up to", ["backup", "nowhere/at-all"], 1, "nowhere"],
    ["a budget that is no number", ["partner", "set-budget", "PARTNER_x", "many"], 2, "many"],
    ["a missing file to import", ["import", "--properties", "absent.csv", "--partner"], 1, "absent.csv"],
    ["no file to import", ["import", "--partner"], 2, "no file to import"],
    [
      "a mapping to keep where no folder is",
      ["import", "--file", "absent.csv", "--mapping", "nowhere/map.json", "--partner"],
      1,
      "specify another file with --mapping",
    ],
    ["no address of a receiver", ["partner", "set-webhook"], 2, "--off"],
    ["neither a partner nor all", ["partner", "probe-webhook"], 2, "--all"],
    ["a resend without its window", ["deliveries", "resend", "--partner"], 2, "--from"],
    [
      "a resend whose window ends before it begins",
      ["deliveries", "resend", "--from", "2026-01-02", "--to", "2026-01-01", "--partner"],
      2,
      "--to must be after --from",
    ],
  ] as const)("%s", async (_, args, code, named) => {
    const takesPartner = args.at(-1) === "--partner" || args.at(-1) === "set-webhook";
    const before = fingerprint();
    const report = await refusal(args, takesPartner ? [partnerId] : [], code);
    expect(`${report.error} ${report.hint}`).toContain(named);
    expect(fingerprint()).toBe(before);
  });

  test("an unknown command, with a suggestion", async () => {
    for (const [line, meant] of [
      [["snapshto"], "snapshot"],
      [["partner", "shwo"], "show"],
    ] as const) {
      const { error, hint } = await refusal(line, [], 2);
      expect(error).toContain(line.at(-1)!);
      expect(hint).toContain(`Did you mean ${meant}?`);
    }
  });

  test("a missing configuration file", async () => {
    const { error, hint } = await refusal(["partner", "list", "--config", "absent.toml"], [], 1);
    expect(`${error} ${hint}`).toContain(join(place, "absent.toml"));
  });
});

/** Returns every file under the folder with its content, except the WAL index, which readers change, too. */
function fingerprint(): string {
  return readdirSync(place, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.endsWith("-shm"))
    .toSorted()
    .map((name) => {
      const path = join(place, name);
      if (statSync(path).isDirectory()) return name;
      return `${name} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
    })
    .join("\n");
}
