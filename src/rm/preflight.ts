import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { ConnectionCheck, ConnectionReport } from "../administration/connection-check.ts";
import type { Config } from "../config/settings.ts";
import { type Instant, MS_PER_DAY } from "../domain/time.ts";
import { failureMessage } from "../webhooks/failure-messages.ts";
import type { Resolve } from "../webhooks/resolve.ts";
import { authorization, type Credentials } from "./credentials.ts";
import { askOnce, connectOnce, type Endpoint, shakeHands } from "./probe.ts";

export type PreflightWorld = { settings: Config["rm"]; resolve: Resolve; clock: () => Instant };

/** A step that did not work; the message is for the operator. */
class Refusal extends Error {}

/**
 * Tries the connection to the property-management system one step after the other and stops at the first that does
 * not work, since every later one would fail for the same reason.
 */
export async function runPreflight({ settings, resolve, clock }: PreflightWorld): Promise<ConnectionReport> {
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
      report(false, error instanceof Refusal ? error.message : failureMessage(error, hostname));
      throw new Refusal();
    }
  }

  try {
    const endpoint = await step("configured", async () => configured(settings));
    hostname = endpoint.hostname;
    const addresses = await step("dns", () => lookUp(endpoint, resolve));
    const address = await step("tcp", () => reach(endpoint, addresses));
    if (endpoint.isSecure) await step("tls", () => secure(endpoint, address, checkedAt));
    const anonymous = await step("http", () => answered(endpoint, address));
    await step("credentials", () => admitted(endpoint, address, settings, anonymous));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  return { ok: checks.every(({ ok }) => ok), checkedAt, checks };
}

function configured({ url: address, caFile, timeoutMs }: Config["rm"]): [Endpoint, string] {
  if (address === "") throw new Refusal("rm.url is not set");
  const url = new URL(address);
  const isSecure = url.protocol === "https:";
  const endpoint = {
    url,
    isSecure,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (isSecure ? 443 : 80),
    authorities: caFile === "" ? undefined : readAuthorities(caFile),
    timeoutMs,
  };
  // The origin only: path and query may hold what is secret.
  return [endpoint, isSecure ? url.origin : `${url.origin}, without TLS`];
}

function readAuthorities(file: string): string {
  let pem: string;
  try {
    pem = readFileSync(file, "utf8");
  } catch (error) {
    throw new Refusal(`rm.ca_file: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (!pem.includes("-----BEGIN CERTIFICATE-----"))
    throw new Refusal(`rm.ca_file: ${file} does not hold PEM certificates`);
  return pem;
}

async function lookUp({ hostname, timeoutMs }: Endpoint, resolve: Resolve): Promise<[string[], string]> {
  if (isIP(hostname)) return [[hostname], "an address, nothing to look up"];
  let timer: Timer | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  });
  try {
    const found = await Promise.race([resolve(hostname), timeUp]);
    return [found, found.join(", ")];
  } finally {
    clearTimeout(timer);
  }
}

/** The first address that a connection can be made to. */
async function reach(endpoint: Endpoint, addresses: readonly string[]): Promise<[string, string]> {
  let failure: unknown;
  for (const address of addresses)
    try {
      await connectOnce(endpoint, address);
      return [address, `connected to ${isIP(address) === 6 ? `[${address}]` : address}:${endpoint.port}`];
    } catch (error) {
      failure = error;
    }
  throw failure;
}

async function secure(endpoint: Endpoint, address: string, now: Instant): Promise<[undefined, string]> {
  const { protocol, subject, validTo } = await shakeHands(endpoint, address);
  const days = Math.floor((validTo - now) / MS_PER_DAY);
  return [undefined, `${protocol}, certificate of ${subject}, ${days} ${days === 1 ? "day" : "days"} left`];
}

async function answered(endpoint: Endpoint, address: string): Promise<[number, string]> {
  const status = await askOnce(endpoint, address, undefined);
  if (status >= 500) throw new Refusal(`answered ${status}`);
  return [status, `answered ${status} without credentials`];
}

async function admitted(
  endpoint: Endpoint,
  address: string,
  settings: Credentials,
  anonymous: number,
): Promise<[undefined, string]> {
  const header = authorization(settings, endpoint.url);
  if (header === undefined) {
    if (anonymous >= 400) throw new Refusal(`none are set, and the system answers ${anonymous} without any`);
    return [undefined, "none are set, and none are asked for"];
  }
  const status = await askOnce(endpoint, address, header);
  if (status === 401 || status === 403) throw new Refusal(`refused with ${status}`);
  if (status < 200 || status >= 300)
    throw new Refusal(`answered ${status}, which does not tell; check the path of rm.url`);
  return [undefined, anonymous < 300 ? `answered ${status}, as without any` : `accepted with ${status}`];
}
