import { databaseFile } from "../../app/data-folder.ts";
import { ConfigError } from "../../config/config-error.ts";
import type { CheckResult } from "../../doctor/check.ts";
import { diagnose } from "../../doctor/diagnose.ts";
import { OperatorError } from "../../domain/errors.ts";
import { loadKnowledge } from "../../knowledge/load.ts";
import { command, flag } from "../command.ts";
import type { Context } from "../context.ts";
import { whereLooked } from "../installation.ts";

export const doctorCommand = command({
  description:
    "Works beside a running server and without one, and changes nothing. Exits 1 when a check fails; warnings alone " +
    "exit 0. Receivers are connected to, and nothing is sent to them.",
  options: { full: flag("also compare every index entry of the database with its row, which takes longer") },
  examples: ["mainstay doctor", "mainstay doctor --json --full"],
  async run(context, _arguments, { full }) {
    const checks = await allChecks(context, full ? "full" : "quick");
    const count = (status: CheckResult["status"]) => checks.filter((check) => check.status === status).length;
    const [failed, warned] = [count("fail"), count("warn")];
    context.print(
      { ok: failed === 0, failed, warned, checks },
      [...checks.map(inWords), "", `${count("ok")} ok, ${warned} to look at, ${failed} failed`].join("\n"),
    );
    if (failed > 0)
      throw new OperatorError(`${failed} of ${checks.length} checks failed`, "What to do stands at each.");
  },
});

async function allChecks(context: Context, depth: "quick" | "full"): Promise<CheckResult[]> {
  try {
    const { config, env } = context;
    const { modelVersion } = loadKnowledge();
    return await diagnose({
      config,
      databaseFile: databaseFile(config.storage.dataDir),
      env,
      now: context.now(),
      depth,
      modelVersion,
      configuration: whereLooked(context),
    });
  } catch (error) {
    // Without settings there is nothing else to look at.
    if (!(error instanceof ConfigError)) throw error;
    return [{ name: "configuration", status: "fail", detail: error.message, remedy: error.hint ?? null }];
  }
}

const MARKS = { ok: "ok  ", warn: "WARN", fail: "FAIL" };

function inWords({ name, status, detail, remedy }: CheckResult): string {
  return `${MARKS[status]}  ${name}: ${detail}${remedy === null ? "" : `\n      ${remedy}`}`;
}
