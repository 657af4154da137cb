import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import type { Config } from "../config/settings.ts";
import { type Instant, MS_PER_DAY, toIso } from "../domain/time.ts";
import { parseNetwork } from "../networks.ts";
import type { DatabaseState } from "../store/sqlite/database-state.ts";
import { permittedAddresses, socketHost } from "../webhooks/connections.ts";
import { failureMessage } from "../webhooks/failure-messages.ts";
import { createResolver } from "../webhooks/resolve.ts";
import { type Check, type Finding, fail, ok, warn } from "./check.ts";

const CONNECT_TIMEOUT_MS = 5_000;

/** Whether each partner's receiver can be connected to from here, by the rules of deliveries. Sends nothing. */
export function receiverChecks({ receivers }: DatabaseState, webhooks: Config["webhooks"]): Check[] {
  return receivers.map(({ partnerId, partner, url, pausedAt, failingSince, lastError }) => ({
    name: `webhook_receiver:${partnerId}`,
    run: async () => {
      const receiver = new URL(url);
      const place = webhooks.proxy === "" ? receiver : new URL(webhooks.proxy);
      const through = webhooks.proxy === "" ? "" : " (by the proxy)";
      const remedy = `Ask ${partner} whether ${receiver.host} is up, and see to name servers, firewall and webhooks.allow_networks.`;
      try {
        await reach(place, webhooks);
      } catch (error) {
        return warn(`${partner}: ${failureMessage(error, place.hostname)}${through}`, remedy);
      }
      if (pausedAt !== null)
        return warn(
          `${partner}: ${receiver.host} can be connected to${through}, and is paused for its failures`,
          "It is resumed by the first probe that succeeds; see `mainstay partner show`.",
        );
      if (failingSince !== null)
        return warn(
          `${partner}: ${receiver.host} can be connected to${through}, and refuses deliveries since ${toIso(failingSince)}: ${lastError}`,
          "See `mainstay deliveries list --status failed`, and ask the partner what its receiver's log says.",
        );
      return ok(`${partner}: ${receiver.host} can be connected to${through}`);
    },
  }));
}

async function reach(url: URL, webhooks: Config["webhooks"]): Promise<void> {
  const isProxy = webhooks.proxy !== "";
  const policy = {
    allow: isProxy ? [] : webhooks.allowNetworks.map(parseNetwork),
    deny: isProxy ? [] : webhooks.denyNetworks.map(parseNetwork),
  };
  const settings = { policy: () => policy, resolve: createResolver(), extraAuthorities: null, proxy: null };
  const [host] = await permittedAddresses(socketHost(url), settings);
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

/** Days that the server's own certificate is still good for, and that its key belongs to it. */
export function checkCertificate({ tlsCert, tlsKey }: Config["server"], now: Instant): Finding {
  if (tlsCert === "") return ok("TLS is off (server.tls_cert)");
  const certificate = new X509Certificate(readFileSync(tlsCert));
  const renew = "Renew it, then send the server SIGHUP.";
  if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(tlsKey))))
    return fail(`${tlsKey} is not the key of ${tlsCert}`, "Set server.tls_key to the certificate's own key.");
  const days = Math.floor((Date.parse(certificate.validTo) - now) / MS_PER_DAY);
  if (days < 0) return fail(`${tlsCert} expired ${-days} days ago`, renew);
  if (Date.parse(certificate.validFrom) > now)
    return fail(
      `${tlsCert} is good only from ${certificate.validFrom}`,
      "Check the clock, or use another certificate.",
    );
  return days < 21
    ? warn(`${tlsCert} is good for ${days} days more`, renew)
    : ok(`${tlsCert} is good for ${days} days more`);
}
