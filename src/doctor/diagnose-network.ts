import { connect } from "node:net";
import type { Config } from "../config/settings.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import { hostWithoutBrackets, parseIpNetwork } from "../ip-networks/ip-network.ts";
import type { DatabaseState } from "../store/sqlite/sqlite-database-state.ts";
import { daysUntilCertificateExpiry, readTlsIdentity } from "../tls/pem-files.ts";
import { resolvePermittedWebhookAddresses } from "../webhooks/webhook-connections.ts";
import { createWebhookResolver } from "../webhooks/webhook-dns-resolver.ts";
import { webhookFailureMessage } from "../webhooks/webhook-failure-messages.ts";
import {
  type DoctorCheck,
  type DoctorFinding,
  failedDoctorFinding,
  okDoctorFinding,
  warningDoctorFinding,
} from "./doctor-check.ts";

const CONNECT_TIMEOUT_MS = 5_000;

/** Returns a check per webhook endpoint that connects under the same rules as deliveries. Sends nothing. */
export function doctorChecksOfWebhookEndpoints(
  { endpoints }: DatabaseState,
  webhooks: Config["webhooks"],
): DoctorCheck[] {
  return endpoints.map(({ partnerId, partner, url, pausedAt, failingSince, lastError }) => ({
    name: `webhook_receiver:${partnerId}`,
    isRemote: true,
    run: async () => {
      const endpoint = new URL(url);
      const target = webhooks.proxy === "" ? endpoint : new URL(webhooks.proxy);
      const through = webhooks.proxy === "" ? "" : " (through the proxy)";
      const remedy =
        webhooks.proxy === ""
          ? `Ask ${partner} whether ${endpoint.host} is up. Check DNS, firewall and webhooks.allow_networks.`
          : "Check webhooks.proxy, and whether the proxy is up.";
      try {
        await connectTo(target, webhooks);
      } catch (error) {
        return warningDoctorFinding(
          `${partner}: ${webhookFailureMessage(error, target.hostname)}${through}`,
          remedy,
        );
      }
      if (pausedAt !== null)
        return warningDoctorFinding(
          `${partner}: ${endpoint.host} is reachable${through} but paused after repeated failures`,
          "The first successful probe resumes it. See `mainstay partner show`.",
        );
      if (failingSince !== null)
        return warningDoctorFinding(
          `${partner}: ${endpoint.host} is reachable${through} but has been rejecting deliveries since ${isoTextOfInstant(failingSince)} (${lastError})`,
          "See `mainstay deliveries list --status failed`, and ask the partner for its endpoint's log.",
        );
      return okDoctorFinding(`${partner}: ${endpoint.host} is reachable${through}`);
    },
  }));
}

async function connectTo(url: URL, webhooks: Config["webhooks"]): Promise<void> {
  const isProxy = webhooks.proxy !== "";
  const policy = {
    allow: isProxy ? [] : webhooks.allowNetworks.map(parseIpNetwork),
    deny: isProxy ? [] : webhooks.denyNetworks.map(parseIpNetwork),
  };
  const settings = {
    policy: () => policy,
    resolve: createWebhookResolver(),
    extraAuthorities: null,
    proxy: null,
  };
  const [host] = await resolvePermittedWebhookAddresses(hostWithoutBrackets(url), settings);
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: host!, port });
    socket.setTimeout(CONNECT_TIMEOUT_MS, () =>
      socket.destroy(new Error(`no connection within ${CONNECT_TIMEOUT_MS / 1000} s`)),
    );
    socket.on("connect", () => {
      socket.destroy();
      resolve();
    });
    socket.on("error", reject);
  });
}

/** Returns how many days the certificate of the server remains valid. Throws if it or its key cannot be used. */
export function diagnoseServerCertificate(
  { tlsCert, tlsKey }: Config["server"],
  now: Instant,
): DoctorFinding {
  if (tlsCert === "") return okDoctorFinding("TLS is off (server.tls_cert)");
  const { validFrom, validTo } = readTlsIdentity({ certFile: tlsCert, keyFile: tlsKey });
  const renew = "Renew it, then send SIGHUP to the server.";
  const days = daysUntilCertificateExpiry(validTo, now);
  if (days < 0) return failedDoctorFinding(`${tlsCert} expired ${-days} days ago`, renew);
  if (validFrom > now)
    return failedDoctorFinding(
      `${tlsCert} is not valid before ${isoTextOfInstant(validFrom)}`,
      "Check the clock, or use another certificate.",
    );
  return days < 21
    ? warningDoctorFinding(`${tlsCert} is valid for ${days} more days`, renew)
    : okDoctorFinding(`${tlsCert} is valid for ${days} more days`);
}
