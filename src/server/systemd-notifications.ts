import { systemTimers, type Timers } from "../event-loop/event-loop.ts";
import type { Logger } from "../logging/logger.ts";

/** The program that starts, watches and stops the server, such as systemd. */
type ServiceManager = {
  /** Reports that the server listens, after the start and after a reload. */
  ready(status: string): void;
  reloading(): void;
  /** Reports that the server stops, and that this may take so many seconds. */
  stopping(withinS: number): void;
  /**
   * Reports to the watchdog, if there is one, three times in its period, while the writer responds or makes progress. If
   * it hangs, or the event loop is blocked, the reports end, and the service manager restarts the server. Returns a
   * function that ends the reports.
   */
  watch(writer: WatchedWriter): () => void;
};

export type WatchedWriter = {
  /** Settles once the writer has handled a write, which it may refuse: a restart would not free a full disk. */
  probe(): Promise<unknown>;
  /** Returns a number that grows while the writer runs a long transaction, which a restart would only repeat. */
  steps(): number;
};

const NONE: ServiceManager = {
  ready() {},
  reloading() {},
  stopping() {},
  watch: () => () => {},
};

const REPORTS_PER_PERIOD = 3;
const MICROSECONDS = 1e6;

/**
 * Returns the service manager that has set NOTIFY_SOCKET, by the protocol of sd_notify(3). Without one, reports go
 * nowhere. A report that cannot be sent is logged, and has no other effect.
 */
export function openSystemdNotifications(
  env: Readonly<Record<string, string | undefined>>,
  log: Pick<Logger, "warn">,
  timers: Timers = systemTimers,
): ServiceManager {
  const socket = env.NOTIFY_SOCKET;
  if (!socket) return NONE;
  // Loaded only here: other processes need no foreign functions.
  const { openSystemdNotifySocket } =
    require("./systemd-notify-socket.ts") as typeof import("./systemd-notify-socket.ts");
  let hasFailed = false;
  const fail = (reason: string) => {
    if (!hasFailed) log.warn({ notify_socket: socket, reason }, "the service manager could not be notified");
    hasFailed = true;
  };
  let opened: ReturnType<typeof openSystemdNotifySocket>;
  try {
    opened = openSystemdNotifySocket(socket);
  } catch (error) {
    fail((error as Error).message);
    return NONE;
  }
  const send = (...lines: string[]) => {
    if (!opened.send(lines.join("\n"))) fail("nothing listens at the socket");
  };
  return {
    ready: (status) => send("READY=1", `STATUS=${status}`),
    // The time tells this reload from an earlier one.
    reloading: () => send("RELOADING=1", `MONOTONIC_USEC=${opened.monotonicMicroseconds()}`),
    stopping: (withinS) =>
      send("STOPPING=1", `EXTEND_TIMEOUT_USEC=${withinS * MICROSECONDS}`, "STATUS=Stopping"),
    watch(writer) {
      const periodMs = watchdogMs(env);
      if (periodMs === undefined) return () => {};
      let timer: unknown;
      let hasResponded = true;
      let steps = writer.steps();
      const report = () => {
        const stepsBefore = steps;
        steps = writer.steps();
        if (hasResponded || steps !== stepsBefore) send("WATCHDOG=1");
        if (hasResponded) {
          hasResponded = false;
          const respond = () => {
            hasResponded = true;
          };
          writer.probe().then(respond, respond);
        }
        timer = timers.set(report, periodMs / REPORTS_PER_PERIOD);
      };
      report();
      return () => timers.clear(timer);
    },
  };
}

/** Returns the period of the watchdog of this process; undefined without one. */
function watchdogMs({
  WATCHDOG_USEC,
  WATCHDOG_PID,
}: Readonly<Record<string, string | undefined>>): number | undefined {
  if (!WATCHDOG_USEC || !/^[1-9]\d*$/.test(WATCHDOG_USEC)) return undefined;
  const isForThisProcess = !WATCHDOG_PID || WATCHDOG_PID === String(process.pid);
  return isForThisProcess ? Number(WATCHDOG_USEC) / 1000 : undefined;
}
