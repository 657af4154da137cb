import { describe, expect, test } from "bun:test";
import {
  type CommandEntry,
  choiceOption,
  commandSettingOption,
  defineCommand,
  optionalCommandArgument,
  repeatableOption,
  requiredCommandArgument,
  switchOption,
  textOption,
  wholeNumberOption,
} from "../../src/cli/command.ts";
import type { CommandContext, CommandHost } from "../../src/cli/command-context.ts";
import { runCommandLine } from "../../src/cli/command-line-program.ts";
import { notFound, OperatorError } from "../../src/domain/errors.ts";

type Seen = { args: unknown; options: unknown; context: CommandContext };

/** Runs a command line with a small table of commands. `act` is the action of its `partner create`. */
async function run(
  line: string,
  act: (context: CommandContext) => void = () => {},
  env: CommandHost["env"] = {},
) {
  const seen: Seen[] = [];
  const outcome = { code: -1, out: "", err: "", guards: 0, seen };
  const create = defineCommand({
    name: "create",
    summary: "create a partner",
    arguments: {
      companyName: requiredCommandArgument("the company's name"),
      note: optionalCommandArgument("a note"),
    },
    options: {
      webhookUrl: textOption("URL", "where deliveries go"),
      dailyBudget: wholeNumberOption("CALLS", "calls a day", 0, 1000),
      format: choiceOption(["csv", "json"], "form of the result"),
      map: repeatableOption("COLUMN=FIELD", "another heading"),
      dryRun: switchOption("change nothing"),
      port: commandSettingOption("server.port", "PORT", "port"),
    },
    examples: ["mainstay partner create Acme"],
    run(context, args, options) {
      seen.push({ args, options, context });
      act(context);
    },
  });
  const serve = defineCommand({ longRunning: true, run: act });
  const commands: CommandEntry[] = [
    { name: "partner", summary: "manage partners", load: async () => [create] },
    { name: "serve", summary: "run the service", load: async () => serve },
  ];
  const writingTo = (stream: "out" | "err") => ({
    write(written: string) {
      outcome[stream] += written;
    },
  });
  const host: CommandHost = {
    stdout: writingTo("out"),
    texts: writingTo("out"),
    stderr: writingTo("err"),
    logLines: writingTo("err"),
    env,
    cwd: "/nowhere",
    root: "/nowhere",
    isTty: false,
    columns: 100,
    tableWidth: Number.POSITIVE_INFINITY,
    now: () => 0,
    random: (bytes) => bytes,
    guard: () => void outcome.guards++,
    betweenSteps: (yieldNow) => yieldNow,
    lowerPriority: () => {},
  };
  outcome.code = await runCommandLine(line.split(" ").filter(Boolean), host, commands);
  return outcome;
}

describe("a command receives", () => {
  test("its arguments and options by name, including omitted ones", async () => {
    const { code, seen } = await run("partner create Acme");
    expect(code).toBe(0);
    expect(seen[0]!.args).toEqual({ companyName: "Acme", note: undefined });
    expect(seen[0]!.options).toEqual({
      webhookUrl: undefined,
      dailyBudget: undefined,
      format: undefined,
      map: [],
      dryRun: false,
      port: undefined,
    });
  });

  test("options as numbers, choices, lists and switches", async () => {
    const line =
      "partner create Acme x --daily-budget 5 --format csv --map a=b --map=c=d --dry-run --webhook-url u";
    const { seen } = await run(line);
    expect(seen[0]!.args).toEqual({ companyName: "Acme", note: "x" });
    expect(seen[0]!.options).toMatchObject({
      dailyBudget: 5,
      format: "csv",
      map: ["a=b", "c=d"],
      dryRun: true,
      webhookUrl: "u",
    });
  });

  test("settings overridden by --data-dir and its own options", async () => {
    const { seen } = await run("--data-dir d partner create Acme --port 9");
    const { config } = seen[0]!.context;
    expect([config.storage.dataDir, config.server.port]).toEqual(["/nowhere/d", 9]);
  });

  test("global options before and after its name", async () => {
    for (const line of ["--json --config f partner create A", "partner create A --json --config f"]) {
      const { seen } = await run(line);
      expect(seen[0]!.context.given).toEqual({ config: "f", dataDir: undefined, json: true });
    }
  });
});

describe("its output", () => {
  const act = ({ print }: CommandContext) => print({ partner_id: "PARTNER_1" }, "Partner PARTNER_1");

  test("is text, or one JSON object with --json", async () => {
    expect((await run("partner create Acme", act)).out).toBe("Partner PARTNER_1\n");
    expect((await run("partner create Acme --json", act)).out).toBe('{"partner_id":"PARTNER_1"}\n');
  });

  test("is separate from its log lines, which go to standard error", async () => {
    const { out, err } = await run("partner create Acme", ({ log }) => log.info("noted"));
    expect(out).toBe("");
    expect(JSON.parse(err)).toMatchObject({ level: "info", msg: "noted" });
  });
});

describe("on failure", () => {
  const refuse = () => {
    throw new OperatorError("the disk is on fire", "Put it out.");
  };

  // Rule: command-form
  test("the error and its remedy are printed, and the exit code is 1", async () => {
    const outcome = await run("partner create Acme", refuse);
    expect(outcome).toMatchObject({ code: 1, out: "", err: "mainstay: the disk is on fire\nPut it out.\n" });
  });

  test("with --json the error is one object on standard error", async () => {
    const { err } = await run("partner create Acme --json", refuse);
    expect(JSON.parse(err)).toEqual({ error: "the disk is on fire", hint: "Put it out." });
  });

  test("a domain error is not reported as a bug", async () => {
    const { code, err } = await run("partner create Acme", () => {
      throw notFound("Partner not found");
    });
    expect([code, err]).toEqual([1, "mainstay: Partner not found\n"]);
  });

  test("a system error has a remedy for the operator", async () => {
    const { code, err } = await run("partner create Acme", () => {
      throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    });
    expect(code).toBe(1);
    expect(err).toContain("The disk is full");
    expect(err).not.toContain("fault");
  });

  test("an unexpected error is reported as a bug, with its stack only at level debug", async () => {
    const fail = () => {
      throw new TypeError("undefined is not an object");
    };
    const quiet = await run("partner create Acme", fail);
    expect(quiet.code).toBe(70);
    expect(quiet.err).toStartWith("mainstay: undefined is not an object\nThis is a bug in Mainstay.");
    expect(quiet.err).not.toContain("    at ");
    const loud = await run("partner create Acme", fail, { MAINSTAY_LOG__LEVEL: "debug" });
    expect(loud.err).toContain("    at ");
  });

  test("an invalid setting stops only commands that use the settings", async () => {
    const env = { MAINSTAY_SERVER__PORT: "x" };
    const asking = await run("partner create Acme", ({ config }) => void config, env);
    expect(asking.code).toBe(1);
    expect(asking.err).toContain('MAINSTAY_SERVER__PORT: expected a whole number from 0 to 65535, got "x"');
    expect((await run("partner create Acme", () => {}, env)).code).toBe(0);
  });

  test("short commands are guarded against signals and uncaught errors; long-running ones handle them", async () => {
    expect((await run("partner create Acme")).guards).toBe(1);
    expect((await run("serve")).guards).toBe(0);
  });
});

describe("incorrect usage exits 2 and points to the help", () => {
  test.each([
    ["patner create A", "mainstay: unknown command 'patner'\nDid you mean partner? See: mainstay --help\n"],
    [
      "partner creat A",
      "mainstay: unknown command 'creat'\nDid you mean create? See: mainstay partner --help\n",
    ],
    [
      "partner create A --dry-rum",
      "mainstay: unknown option '--dry-rum'\nDid you mean --dry-run? See: mainstay partner create --help\n",
    ],
    [
      "partner create",
      "mainstay: missing required argument 'company-name'\nSee: mainstay partner create --help\n",
    ],
    [
      "partner create A b c",
      "mainstay: too many arguments for 'create'. Expected 2 arguments but got 3: A, b, c.\n" +
        "See: mainstay partner create --help\n",
    ],
    [
      "partner create A b postgres://user:a@secret@db.example:5432/x",
      "mainstay: too many arguments for 'create'. Expected 2 arguments but got 3: A, b, postgres://user:[redacted]@db.example:5432/x.\n",
    ],
    [
      "partner create A b postgres://user@srv:s3cret@db.example:5432/x",
      "mainstay: too many arguments for 'create'. Expected 2 arguments but got 3: A, b, postgres://user@srv:[redacted]@db.example:5432/x.\n",
    ],
    [
      "partner create A b postgres://user:se/cret@db.example:5432/x",
      "mainstay: too many arguments for 'create'. Expected 2 arguments but got 3: A, b, postgres://user:[redacted]@db.example:5432/x.\n",
    ],
    [
      "partner create A --key=svc_admin_0123456789",
      "mainstay: unknown option '--key=[redacted]'\nSee: mainstay partner create --help\n",
    ],
    [
      "partner create A --daily-budget 1e3",
      "mainstay: --daily-budget: expected a whole number from 0 to 1000",
    ],
    [
      "partner create A --daily-budget 1001",
      "mainstay: --daily-budget: expected a whole number from 0 to 1000",
    ],
    ["partner create A --format xml", 'mainstay: --format: expected csv or json, got "xml"'],
    ["help partner crate", "mainstay: unknown command 'crate'\nDid you mean create?\n"],
  ])("%s", async (line, expected) => {
    const { code, out, err, seen } = await run(line);
    expect(err).toStartWith(expected);
    expect({ code, out, seen }).toEqual({ code: 2, out: "", seen: [] });
  });

  test("an option whose setting has an invalid value", async () => {
    const { code, err } = await run("partner create A --port 99999", ({ config }) => void config);
    expect(code).toBe(2);
    expect(err).toStartWith('mainstay: --port: expected a whole number from 0 to 65535, got "99999"\n');
  });

  test("a missing command, with the help", async () => {
    for (const line of ["", "partner"]) {
      const { code, err } = await run(line);
      expect(code).toBe(2);
      expect(err).toStartWith("Usage: mainstay");
    }
    expect(JSON.parse((await run("partner --json")).err).error).toBe("mainstay partner needs a command");
  });

  test("with --json it is one object, too", async () => {
    const { code, err } = await run("partner create --jsn --json");
    expect(code).toBe(2);
    expect(JSON.parse(err)).toEqual({
      error: "unknown option '--jsn'",
      hint: "Did you mean --json? See: mainstay partner create --help",
    });
  });
});

describe("help", () => {
  test("is the same with the option and the command, and shows arguments, options and examples", async () => {
    const { code, out } = await run("partner create --help");
    expect(code).toBe(0);
    for (const part of [
      "<company-name>",
      "[note]",
      "--daily-budget <CALLS>",
      "--config",
      "mainstay partner create Acme",
    ]) {
      expect(out).toContain(part);
    }
    expect((await run("help partner create")).out).toBe(out);
  });

  test("of the program lists its commands", async () => {
    const { code, out } = await run("help");
    expect(code).toBe(0);
    expect(out).toContain("manage partners");
    expect((await run("--help")).out).toBe(out);
  });

  test("never runs a command", async () => {
    expect((await run("help partner create Acme")).seen).toEqual([]);
  });
});
