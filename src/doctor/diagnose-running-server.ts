import http from "node:http";
import https from "node:https";
import type { Config } from "../config/settings.ts";
import { isPassingMonitoredCheck } from "../monitoring/monitored-service-health.ts";

/** The result of a health query to the server on this machine. */
type HealthResult = {
  url: string;
  statusCode: number | null;
  /** The server's health report; null if the response is none. */
  health: Record<string, unknown> | null;
  /** The problem, as a sentence without a period; null if the server is healthy. */
  problem: string | null;
  isReached: boolean;
  durationMs: number;
};

const TIMEOUT_MS = 5_000;
/** The maximum length of a response; no health report is longer. */
const MAX_RESPONSE_CHARS = 64 * 1024;

/**
 * Queries the health of the server that these settings describe, over HTTPS if a certificate is configured. The
 * certificate is not verified: it is issued for the partners' host name, and nothing secret is sent. No proxy is used.
 */
export async function diagnoseRunningServer({
  host,
  port,
  tlsCert,
}: Config["server"]): Promise<HealthResult> {
  const reachable = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  const address = `${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
  const url = `${tlsCert === "" ? "http" : "https"}://${address}/health`;
  const startedMs = performance.now();
  const outcome = await ask(url).catch((error: NodeJS.ErrnoException) => ({ error }));
  const durationMs = Math.round(performance.now() - startedMs);
  if ("error" in outcome) {
    const { code, message } = outcome.error;
    const problem = code === "ECONNREFUSED" ? "connection refused" : message || code || "no response";
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

function problemOf(statusCode: number, health: HealthResult["health"]): string | null {
  if (health === null) return `unexpected response (${statusCode}): not a Mainstay server`;
  if (statusCode === 200 && health.status === "ok") return null;
  const checks = Object.entries((health.checks ?? {}) as Record<string, unknown>);
  const bad = checks.filter(([name, state]) => !isPassingMonitoredCheck(name, String(state)));
  return `status ${health.status} (${bad.map(([name, state]) => `${name}: ${state}`).join(", ")})`;
}

function parseHealth(text: string): HealthResult["health"] {
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
  const timer = setTimeout(() => reject(new Error(`no response within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  request.on("error", reject);
  request.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (piece: string) => {
      text += piece;
      if (text.length > MAX_RESPONSE_CHARS)
        reject(new Error("unexpected response (too long): not a Mainstay server"));
    });
    response.on("end", () => resolve({ statusCode: response.statusCode ?? 0, text }));
    response.on("error", reject);
  });
  return promise.finally(() => {
    clearTimeout(timer);
    request.destroy();
  });
}
