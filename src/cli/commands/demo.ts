import { resolve } from "node:path";
import { startApp } from "../../app/app.ts";
import { dayOf } from "../../domain/time.ts";
import { createLogger } from "../../log.ts";
import { standardStream } from "../../standard-streams.ts";
import { command, setting } from "../command.ts";
import type { Context } from "../context.ts";
import { demoConfig } from "../demo/config.ts";
import { prepareDemo } from "../demo/data.ts";
import { DeliveryReport } from "../demo/delivery-report.ts";
import { type Demo, demoRecord, demoText, triesOf } from "../demo/text.ts";
import { startLocalReceiver } from "../local-receiver.ts";
import { OutputClosed } from "../terminal/process-host.ts";

/** `mainstay demo`: everything in one process, for somebody who sees Mainstay for the first time. */
export const demoCommand = command({
  description:
    "Fills a data folder of its own (--data-dir, else ./demo-data), takes today's snapshot, serves, shows each " +
    "webhook that its receiver verified, and prints the address of the demo property's page, the credentials and three " +
    "curl lines. Ctrl-C stops it; the next " +
    "run goes on where it left off. A port that is taken is exchanged for a free one.",
  options: {
    host: setting("server.host", "HOST", "the address to listen on"),
    port: setting("server.port", "PORT", "the port to listen on"),
  },
  examples: ["mainstay demo", "mainstay demo --data-dir /tmp/mainstay-demo --json"],
  longRunning: true,
  async run(context) {
    const { cwd, env, given, json, now, random } = context;
    const stop = stopBySignal();
    const config = demoConfig(context.config, resolve(cwd, given.dataDir ?? "demo-data"));
    const world = { config, env, clock: now, random };
    const write = writerTo(context, stop);
    const lines = standardStream(1);
    const report = new DeliveryReport(json ? () => {} : lines.write);
    let secret = "";
    const receiver = startLocalReceiver(
      () => secret,
      (delivery) => report.add(delivery),
    );
    try {
      const data = await prepareDemo(world, receiver.url, stop.signal);
      secret = data.credentials.webhook_secret;
      const log = createLogger({ level: "warn", format: "pretty", destination: standardStream(2) });
      const app = await startApp({ ...world, log });
      const apiUrl = `${app.url}${config.server.basePath}`;
      const tries = triesOf(data, apiUrl, dayOf(now()), usesProxy(env));
      const demo: Demo = {
        data,
        url: app.url,
        apiUrl,
        adminUrl: app.adminUrl,
        webhookUrl: receiver.url,
        tries,
      };
      write(json ? `${JSON.stringify(demoRecord(demo))}\n` : demoText(demo));
      await aborted(stop.signal);
      await app.stop();
    } catch (error) {
      if (error !== stop.signal.reason) throw error; // it was asked to stop before it was ready
    } finally {
      report.stop();
      await receiver.stop();
    }
    if (!json)
      write(`\nStopped. The data is in ${config.storage.dataDir}; the next run goes on from there.\n`);
  },
});

/**
 * Aborts at the first SIGINT or SIGTERM. Those after it change nothing: a Ctrl-C comes twice to a program that a
 * script runner has started, once from the terminal and once passed on.
 */
function stopBySignal(): AbortController {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  return stop;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });
}

/** Whether curl would ask a proxy, for which this machine is another one. */
const usesProxy = (env: Context["env"]) =>
  ["http_proxy", "all_proxy", "ALL_PROXY"].some((name) => (env[name] ?? "") !== "");

/** Writes to standard output; a reader that has gone away stops the demo. */
function writerTo({ stdout }: Context, stop: AbortController) {
  return (text: string) => {
    try {
      stdout.write(text);
    } catch (error) {
      if (!(error instanceof OutputClosed)) throw error;
      stop.abort();
    }
  };
}
