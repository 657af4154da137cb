import { askHealth } from "../../doctor/ask-health.ts";
import { OperatorError } from "../../domain/errors.ts";
import { command, setting } from "../command.ts";

export const healthcheckCommand = command({
  description:
    "For containers and monitors. Asks the address that the settings name, over HTTPS when they have a certificate, " +
    "which need not be one that is trusted here.",
  options: {
    host: setting("server.host", "HOST", "the address that the server listens on"),
    port: setting("server.port", "PORT", "the port that the server listens on"),
  },
  examples: ["mainstay healthcheck --config /etc/mainstay/mainstay.toml"],
  async run({ config, json, print }) {
    if (config.server.port === 0)
      throw new OperatorError(
        "server.port is 0, so only the server's log says which port it took",
        "Name that one by --port.",
      );
    const { url, statusCode, health, problem, isReached, durationMs } = await askHealth(config.server);
    const ok = problem === null;
    if (ok || json)
      print(
        { ok, url, status_code: statusCode, problem, health, duration_ms: durationMs },
        `${url} is well (version ${health?.version}, up ${health?.uptime_s} s).`,
      );
    if (ok) return;
    throw new OperatorError(
      `${url}: ${problem}`,
      isReached
        ? "`mainstay doctor` says what to do."
        : "See whether the server runs, what its log says, and whether server.host and server.port are the server's.",
    );
  },
});
