import http from "node:http";
import https from "node:https";
import type { Config } from "../config/settings.ts";

/** What a server of this machine said of its health; `problem` when it is not well. */
export type HealthAnswer = {
  url: string;
  statusCode: number | null;
  /** What it answered, when that was a report of its health. */
  health: Record<string, unknown> | null;
  /** What is wrong, in a sentence without a full stop; null when the server is well. */
  problem: string | null;
  isReached: boolean;
  durationMs: number;
};

const TIMEOUT_MS = 5_000;
/** More than a report of health ever is. */
const LONGEST_ANSWER = 64 * 1024;

/**
 * Asks the server that these settings describe for its health, over HTTPS when it has a certificate. The certificate
 * is not checked: it names the address that partners use, and nothing secret is sent. Proxies are not used.
 */
export async function askHealth({ host, port, tlsCert }: Config["server"]): Promise<HealthAnswer> {
  const reachable = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  const address = `${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
  const url = `${tlsCert === "" ? "http" : "https"}://${address}/health`;
  const startedMs = performance.now();
  const outcome = await ask(url).catch((error: NodeJS.ErrnoException) => ({ error }));
  const durationMs = Math.round(performance.now() - startedMs);
  if ("error" in outcome) {
    const { code, message } = outcome.error;
    const problem = code === "ECONNREFUSED" ? "nothing listens there" : message || code || "no answer";
    return { url, statusCode: null, health: null, problem, isReached: false, durationMs };
  }
  const health = parseHealth(outcome.text);
  return {
    url,
    statusCode: outcome.statusCode,
    health,
    problem: problemOf(outcome.statusCode, health),
    isReached: true,
    durationMs,
  };
}

function problemOf(statusCode: number, health: HealthAnswer["health"]): string | null {
  if (health === null) return `what answers there with ${statusCode} is no Mainstay`;
  if (statusCode === 200 && health.status === "ok") return null;
  const checks = Object.entries((health.checks ?? {}) as Record<string, unknown>);
  const bad = checks.filter(([, state]) => !["ok", "off"].includes(String(state)));
  return `it is ${health.status} (${bad.map(([name, state]) => `${name}: ${state}`).join(", ")})`;
}

function parseHealth(text: string): HealthAnswer["health"] {
  try {
    const body = JSON.parse(text);
    return typeof body?.status === "string" && typeof body.checks === "object" ? body : null;
  } catch {
    return null;
  }
}

function ask(url: string): Promise<{ statusCode: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ statusCode: number; text: string }>();
  const options = { agent: false, headers: { accept: "application/json", "user-agent": "Mainstay" } };
  const request = url.startsWith("https:")
    ? https.get(url, { ...options, rejectUnauthorized: false })
    : http.get(url, options);
  const timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  request.on("error", reject);
  request.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (piece: string) => {
      text += piece;
      if (text.length > LONGEST_ANSWER) reject(new Error("the answer is longer than that of any Mainstay"));
    });
    response.on("end", () => resolve({ statusCode: response.statusCode ?? 0, text }));
    response.on("error", reject);
  });
  return promise.finally(() => {
    clearTimeout(timer);
    request.destroy();
  });
}
