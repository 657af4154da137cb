import { diagnoseRunningServer } from "../../doctor/diagnose-running-server.ts";
import { OperatorError } from "../../domain/errors.ts";
import { commandSettingOption, defineCommand } from "../command.ts";

export const healthcheckCommand = defineCommand({
  description:
    "For containers and monitoring. Queries server.host and server.port, over HTTPS if a certificate is configured. " +
    "The certificate need not be trusted.",
  options: {
    host: commandSettingOption("server.host", "HOST", "address of the server"),
    port: commandSettingOption("server.port", "PORT", "port of the server"),
  },
  examples: ["mainstay healthcheck --config /etc/mainstay/mainstay.toml"],
  async run({ config, json, print }) {
    if (config.server.port === 0)
      throw new OperatorError(
        "server.port is 0, so the server's port is not known",
        "Specify it with --port; the server logs it at start.",
      );
    const { url, statusCode, health, problem, isReached, durationMs } = await diagnoseRunningServer(
      config.server,
    );
    const ok = problem === null;
    if (ok || json)
      print(
        { ok, url, status_code: statusCode, problem, health, duration_ms: durationMs },
        `${url} healthy (version ${health?.version}, uptime ${health?.uptime_s} s)`,
      );
    if (ok) return;
    throw new OperatorError(
      `${url}: ${problem}`,
      isReached
        ? "Run `mainstay doctor` for details."
        : "Check that the server is running, its log, and that server.host and server.port are correct.",
    );
  },
});
