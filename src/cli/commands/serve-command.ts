import { OperatorError } from "../../domain/errors.ts";
import { createLogger, recentLogErrors } from "../../logging/logger.ts";
import { commandSettingOption, defineCommand } from "../command.ts";
import { standardTerminalStream } from "../terminal/terminal-standard-streams.ts";

/**
 * `mainstay serve`: runs until SIGTERM, SIGINT or a condition under which it must stop. The next signal ends the drain,
 * and the one after that interrupts the shutdown. SIGHUP reloads the certificate.
 */
export const serveCommand = defineCommand({
  description:
    "Runs until SIGTERM or SIGINT, then serves requests for server.drain_s seconds more, finishes those in progress and " +
    "exits 0. A second signal ends the first of these waits, a further one interrupts the shutdown. SIGHUP reloads the certificate and its key without dropping a request. With --port 0, the server and " +
    "administration listen on free ports, which the first log line shows.",
  options: {
    host: commandSettingOption("server.host", "HOST", "address to listen on"),
    port: commandSettingOption(
      "server.port",
      "PORT",
      "port to listen on; 0 uses free ports, also for administration",
    ),
  },
  examples: [
    "mainstay serve",
    "mainstay serve --config /etc/mainstay/mainstay.toml",
    "mainstay serve --port 0",
  ],
  longRunning: true,
  async run({ config: given, env, now, random }, _arguments, { port }) {
    const { startServer } = await import("../../server/start-server.ts");
    const { openSystemdNotifications } = await import("../../server/systemd-notifications.ts");
    const config = port === "0" ? withFreeAdminPort(given) : given;
    const lines = standardTerminalStream(1);
    const errors = recentLogErrors();
    const log = createLogger({ ...config.log, destination: lines, onError: errors.take });
    lines.onRecovery((dropped) => log.warn({ dropped }, "log lines dropped: standard output was blocked"));
    const stopAsked = untilSignal();
    // Installed before the start: by default SIGHUP ends the process, and a service manager may send it at any time.
    let renewTls = () => {};
    process.on("SIGHUP", () => renewTls());
    const manager = openSystemdNotifications(env, log);
    const diagnostics = { droppedLines: lines.dropped, recentErrors: errors.list };
    const app = await startServer({ config, env, clock: now, random, log, ...diagnostics });
    const reportReady = () => manager.ready(`Serving at ${app.url}`);
    renewTls = () => {
      manager.reloading();
      app.renewTls();
      reportReady();
    };
    reportReady();
    const endWatch = manager.watch(app.writer);
    const reason = await Promise.race([stopAsked, app.mustStop]);
    if (reason instanceof OperatorError) log.error({ hint: reason.hint }, `stopping: ${reason.message}`);
    else log.info({ signal: reason }, "stopping");
    manager.stopping(app.stopsWithinS());
    endWatch();
    const stoppingSince = performance.now();
    for (const again of ["SIGINT", "SIGTERM"] as const)
      process.on(again, () => {
        // A script runner forwards the signal that the terminal has already sent, so one Ctrl-C arrives twice.
        const isSame = again === "SIGINT" && performance.now() - stoppingSince < SAME_SIGNAL_MS;
        if (isSame || app.endDrain()) return;
        log.warn({ signal: again }, "shutdown interrupted");
        process.exit(1);
      });
    if (!(reason instanceof OperatorError)) {
      await Promise.race([app.drain(), app.mustStop]);
      return await app.stop();
    }
    // Saving state may fail, since the database may be the reason for the stop.
    await app.stop().catch((error) => log.warn({ err: error }, "some state could not be saved at shutdown"));
    throw reason;
  },
});

const SAME_SIGNAL_MS = 250;

function withFreeAdminPort<C extends { admin: { listen: string } }>(config: C): C {
  if (config.admin.listen === "main") return config;
  const host = config.admin.listen.slice(0, config.admin.listen.lastIndexOf(":"));
  return { ...config, admin: { ...config.admin, listen: `${host}:0` } };
}

function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
  });
}
