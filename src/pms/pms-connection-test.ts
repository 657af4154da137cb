import { isIP } from "node:net";
import type { Config } from "../config/settings.ts";
import { OperatorError } from "../domain/errors.ts";
import { type Instant, MS_PER_DAY } from "../domain/time.ts";
import { readTlsAuthorities } from "../tls/pem-files.ts";
import type { ResolveHost } from "../webhooks/webhook-dns-resolver.ts";
import { webhookFailureMessage } from "../webhooks/webhook-failure-messages.ts";
import { type PmsCredentials, pmsAuthorizationHeader } from "./pms-authorization.ts";
import {
  type PmsEndpoint,
  probePmsHttpStatus,
  probePmsTcpConnection,
  probePmsTlsHandshake,
} from "./pms-connection-probes.ts";
import type { ConnectionCheck, ConnectionReport } from "./pms-connection-report.ts";

type PreflightDeps = { settings: Config["rm"]; resolve: ResolveHost; clock: () => Instant };

/** The failure of a step, with a message for the operator. */
class StepFailure extends Error {}

/**
 * Tests the connection to the property-management system (PMS) step by step. Stops at the first failure, since every
 * later step would fail for the same reason.
 */
export async function testPmsConnection({
  settings,
  resolve,
  clock,
}: PreflightDeps): Promise<ConnectionReport> {
  const checkedAt = clock();
  const checks: ConnectionCheck[] = [];
  let hostname = "";

  async function step<T>(name: ConnectionCheck["name"], run: () => Promise<[T, string]>): Promise<T> {
    const startedMs = performance.now();
    const report = (ok: boolean, detail: string) =>
      checks.push({ name, ok, detail, durationMs: Math.round(performance.now() - startedMs) });
    try {
      const [value, detail] = await run();
      report(true, detail);
      return value;
    } catch (error) {
      report(false, error instanceof StepFailure ? error.message : webhookFailureMessage(error, hostname));
      throw new StepFailure();
    }
  }

  try {
    const endpoint = await step("configured", async () => readSettings(settings));
    hostname = endpoint.hostname;
    const addresses = await step("dns", () => lookUp(endpoint, resolve));
    const address = await step("tcp", () => connectToAny(endpoint, addresses));
    if (endpoint.isSecure) await step("tls", () => checkTls(endpoint, address, checkedAt));
    const anonymousStatus = await step("http", () => checkHttp(endpoint, address));
    await step("credentials", () => checkCredentials(endpoint, address, settings, anonymousStatus));
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
  }
  return { ok: checks.every(({ ok }) => ok), checkedAt, checks };
}

function readSettings({ url: address, caFile, timeoutMs }: Config["rm"]): [PmsEndpoint, string] {
  if (address === "") throw new StepFailure("rm.url is not set");
  const url = new URL(address);
  const isSecure = url.protocol === "https:";
  const endpoint = {
    url,
    isSecure,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (isSecure ? 443 : 80),
    authorities: caFile === "" ? null : authoritiesIn(caFile),
    timeoutMs,
  };
  // Path and query may contain secrets.
  return [endpoint, isSecure ? url.origin : `${url.origin}, without TLS`];
}

function authoritiesIn(path: string): string {
  try {
    return readTlsAuthorities({ setting: "rm.ca_file", path });
  } catch (error) {
    throw error instanceof OperatorError ? new StepFailure(error.message) : error;
  }
}

async function lookUp(
  { hostname, timeoutMs }: PmsEndpoint,
  resolve: ResolveHost,
): Promise<[string[], string]> {
  if (isIP(hostname)) return [[hostname], "IP address, no lookup needed"];
  let timer: Timer | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StepFailure(`no DNS response within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
  });
  try {
    const found = await Promise.race([resolve(hostname), timeout]);
    return [found, found.join(", ")];
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the first address that accepts a connection. */
async function connectToAny(endpoint: PmsEndpoint, addresses: readonly string[]): Promise<[string, string]> {
  let failure: unknown;
  for (const address of addresses)
    try {
      await probePmsTcpConnection(endpoint, address);
      return [address, `connected to ${isIP(address) === 6 ? `[${address}]` : address}:${endpoint.port}`];
    } catch (error) {
      failure = error;
    }
  throw failure;
}

async function checkTls(endpoint: PmsEndpoint, address: string, now: Instant): Promise<[undefined, string]> {
  const { protocol, subject, validTo } = await probePmsTlsHandshake(endpoint, address);
  const days = Math.floor((validTo - now) / MS_PER_DAY);
  return [
    undefined,
    `${protocol}, certificate of ${subject}, expires in ${days} ${days === 1 ? "day" : "days"}`,
  ];
}

async function checkHttp(endpoint: PmsEndpoint, address: string): Promise<[number, string]> {
  const status = await probePmsHttpStatus(endpoint, address, undefined);
  if (status >= 500) throw new StepFailure(`HTTP ${status}`);
  return [status, `HTTP ${status} without credentials`];
}

async function checkCredentials(
  endpoint: PmsEndpoint,
  address: string,
  settings: PmsCredentials,
  anonymousStatus: number,
): Promise<[undefined, string]> {
  const header = pmsAuthorizationHeader(settings, endpoint.url);
  if (header === undefined) {
    if (anonymousStatus >= 400)
      throw new StepFailure(`no credentials are set, and the system requires them (HTTP ${anonymousStatus})`);
    return [undefined, "no credentials are set, and none are required"];
  }
  const status = await probePmsHttpStatus(endpoint, address, header);
  if (status === 401 || status === 403) throw new StepFailure(`credentials rejected (HTTP ${status})`);
  if (status < 200 || status >= 300)
    throw new StepFailure(`HTTP ${status}: credentials not verified; check the path of rm.url`);
  return [
    undefined,
    anonymousStatus < 300
      ? `HTTP ${status}, the same as without credentials`
      : `credentials accepted (HTTP ${status})`,
  ];
}
