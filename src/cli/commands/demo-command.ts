import { resolve } from "node:path";
import { dayOf } from "../../domain/time.ts";
import { createLogger } from "../../logging/logger.ts";
import { startServer } from "../../server/start-server.ts";
import { commandSettingOption, defineCommand } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { startCommandWebhookReceiver } from "../command-webhook-receiver.ts";
import { demoCommandConfig } from "../demo/demo-config.ts";
import { DemoDeliveryPrinter } from "../demo/demo-delivery-printer.ts";
import {
  type DemoSummary,
  demoCommandJson,
  demoCommandText,
  demoExampleRequests,
} from "../demo/demo-text.ts";
import { prepareDemoCommand } from "../demo/prepare-demo-command.ts";
import { OutputClosed } from "../terminal/process-command-host.ts";
import { standardTerminalStream } from "../terminal/terminal-standard-streams.ts";

/** `mainstay demo`: a server, sample data and a webhook endpoint in one process, for a first look. */
export const demoCommand = defineCommand({
  description:
    "Fills its own data folder (--data-dir, default ./demo-data), takes today's snapshot and starts the server. Prints " +
    "the URLs of the demo property's report, of the portfolio app and of the console, the keys to sign in, three curl " +
    "examples, and each webhook that its endpoint verifies. Press Ctrl-C to stop. The next run resumes with the same data. If a port is in use, another is chosen.",
  options: {
    host: commandSettingOption("server.host", "HOST", "address to listen on"),
    port: commandSettingOption("server.port", "PORT", "port to listen on"),
  },
  examples: ["mainstay demo", "mainstay demo --data-dir /tmp/mainstay-demo --json"],
  longRunning: true,
  async run(context) {
    const { cwd, env, given, json, now, random } = context;
    const stop = stopBySignal();
    const config = demoCommandConfig(context.config, resolve(cwd, given.dataDir ?? "demo-data"));
    const deps = { config, env, clock: now, random };
    const write = writerTo(context, stop);
    const lines = standardTerminalStream(1);
    const printer = new DemoDeliveryPrinter(json ? () => {} : lines.write);
    let secret = "";
    const receiver = startCommandWebhookReceiver(
      () => secret,
      (delivery) => printer.add(delivery),
    );
    try {
      const data = await prepareDemoCommand(deps, receiver.url, stop.signal);
      secret = data.credentials.webhook_secret;
      const log = createLogger({ level: "warn", format: "pretty", destination: standardTerminalStream(2) });
      const app = await startServer({ ...deps, log });
      const apiUrl = `${app.url}${config.server.basePath}`;
      const tries = demoExampleRequests(data, apiUrl, dayOf(now()), usesProxy(env));
      const demo: DemoSummary = {
        data,
        url: app.url,
        apiUrl,
        adminUrl: app.adminUrl,
        webhookUrl: receiver.url,
        tries,
      };
      write(json ? `${JSON.stringify(demoCommandJson(demo))}\n` : demoCommandText(demo));
      await aborted(stop.signal);
      await app.stop();
    } catch (error) {
      if (error !== stop.signal.reason) throw error; // stopped before it was ready
    } finally {
      printer.stop();
      await receiver.stop();
    }
    if (!json) write(`\nStopped. The next run resumes with the data in ${config.storage.dataDir}.\n`);
  },
});

/**
 * Aborts at the first SIGINT or SIGTERM and ignores later ones: a program started by a script runner receives each
 * Ctrl-C twice, from the terminal and from the runner.
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

/** Returns true if curl would use a proxy, which cannot reach a loopback address of this machine. */
const usesProxy = (env: CommandContext["env"]) =>
  ["http_proxy", "all_proxy", "ALL_PROXY"].some((name) => (env[name] ?? "") !== "");

/** Returns a function that writes to standard output, and stops the demo when the reader has closed it. */
function writerTo({ stdout }: CommandContext, stop: AbortController) {
  return (text: string) => {
    try {
      stdout.write(text);
    } catch (error) {
      if (!(error instanceof OutputClosed)) throw error;
      stop.abort();
    }
  };
}
