import { OperatorError } from "../../domain/errors.ts";
import { createLogger, recentErrors } from "../../log.ts";
import { standardStream } from "../../standard-streams.ts";
import { command, setting } from "../command.ts";

/**
 * `mainstay serve`: until SIGTERM or SIGINT, the second of which cuts the stop short, or until it may not go on. SIGHUP
 * renews the certificate.
 */
export const serveCommand = command({
  description:
    "Listens until SIGTERM or SIGINT, then finishes what is under way and exits 0; a second signal cuts that short. " +
    "SIGHUP reads the certificate and its key again, without dropping a request. " +
    "With --port 0 it takes free ports, for administrators too; the log's first line says which.",
  options: {
    host: setting("server.host", "HOST", "the address to listen on"),
    port: setting("server.port", "PORT", "the port to listen on; 0 takes free ones, for administrators too"),
  },
  examples: [
    "mainstay serve",
    "mainstay serve --config /etc/mainstay/mainstay.toml",
    "mainstay serve --port 0",
  ],
  longRunning: true,
  async run({ config: given, env, now, random }, _arguments, { port }) {
    const { startApp } = await import("../../app/app.ts");
    const config = port === "0" ? withFreeAdminPort(given) : given;
    const lines = standardStream(1);
    const errors = recentErrors();
    const log = createLogger({ ...config.log, destination: lines, onError: errors.take });
    lines.onRecovery((dropped) => log.warn({ dropped }, "log lines dropped: standard output took none"));
    const stopAsked = untilSignal();
    // From the start on: by default the signal ends the process, and a service manager may send it at any time.
    let renewTls = () => {};
    process.on("SIGHUP", () => renewTls());
    const told = { droppedLines: lines.dropped, recentErrors: errors.list };
    const app = await startApp({ config, env, clock: now, random, log, ...told });
    renewTls = app.renewTls;
    const reason = await Promise.race([stopAsked, app.mustStop]);
    if (reason instanceof OperatorError) log.error({ hint: reason.hint }, `stopping: ${reason.message}`);
    else log.info({ signal: reason }, "stopping");
    const stoppingSince = performance.now();
    for (const again of ["SIGINT", "SIGTERM"] as const)
      process.on(again, () => {
        // A script runner passes on the signal that the terminal has sent already: one Ctrl-C comes twice.
        const isSame = again === "SIGINT" && performance.now() - stoppingSince < SAME_SIGNAL_MS;
        if (isSame) return;
        log.warn({ signal: again }, "stop cut short");
        process.exit(1);
      });
    if (!(reason instanceof OperatorError)) return await app.stop();
    // What is put away at the end may not fit what the database is by now.
    await app.stop().catch((error) => log.warn({ err: error }, "not everything was stored at the end"));
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
