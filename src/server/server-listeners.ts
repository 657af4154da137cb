import { isIP } from "node:net";
import { hostname } from "node:os";
import { parseAdminListenSetting } from "../config/setting-formats.ts";
import type { Config } from "../config/settings.ts";
import { OperatorError } from "../domain/errors.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import type { Fetch } from "../http/http-server.ts";
import type { Logger } from "../logging/logger.ts";
import { daysUntilCertificateExpiry, readTlsIdentity, type TlsIdentity } from "../tls/pem-files.ts";
import { type GuardedListener, guardServerFileDescriptors } from "./server-file-descriptor-guard.ts";
import { type Listener, openServerHttpListener } from "./server-http-listener.ts";

const OUT_OF_DESCRIPTORS =
  "Check which clients keep so many connections open, or raise LimitNOFILE of the service (`ulimit -n`).";

type ListenersDeps = { config: Config; clock: () => Instant; log: Logger };

/** The main listener and the administrators', which may be the same. */
export type Listeners = {
  url: string;
  adminUrl: string;
  /** The main listener's URL, by which servers and operators tell this server from the others. */
  knownAs: string;
  /** Reads the certificate and its key again; if they cannot be used, logs that and keeps the old ones. */
  renewTls(): void;
  /** Returns when the served certificate expires; undefined without TLS. */
  tlsValidTo(): Instant | undefined;
  stop(graceMs: number): Promise<void>;
};

/**
 * Opens both listeners. TLS, if enabled, is used on the main one, and on the administrators' one unless that is
 * reached from this machine only. Rejects with an OperatorError if an address or the certificate cannot be used.
 */
export async function openServerListeners(
  { config, clock, log }: ListenersDeps,
  fetch: { main: Fetch; admin: Fetch },
): Promise<Listeners> {
  const { host, port, idleTimeoutS, tlsCert: certFile, tlsKey: keyFile } = config.server;
  const files = { certFile, keyFile };
  let identity = certFile === "" ? undefined : readTlsIdentity(files);
  if (identity) report(identity, clock(), log, "certificate read");

  const opened: Listener[] = [];
  const open = async (options: {
    hostname: string;
    port: number;
    fetch: Fetch;
    tls?: TlsIdentity | undefined;
  }) => {
    const onFault = (err: Error) => log.error({ err }, "request failed before it was routed");
    const listener = await openServerHttpListener({ ...options, idleTimeoutS, onFault });
    opened.push(listener);
    return listener;
  };
  const address = parseAdminListenSetting(config.admin.listen)!;
  let main: Listener;
  let admin: Listener;
  try {
    main = await open({ hostname: host, port, fetch: fetch.main, tls: identity });
    admin =
      address === "main"
        ? main
        : await open({
            hostname: address.host,
            port: address.port,
            fetch: fetch.admin,
            tls: isLoopback(address.host) ? undefined : identity,
          });
  } catch (error) {
    for (const listener of opened) void listener.stop(0);
    throw error;
  }
  // The administrators' listener stays open for longer: it is needed to see what is wrong.
  const listeners: GuardedListener[] = [{ listener: main, reservedDescriptors: 24 }];
  if (admin !== main) listeners.push({ listener: admin, reservedDescriptors: 8 });
  const endWatch = guardServerFileDescriptors(listeners, (isOpen) => {
    if (isOpen) log.info("file descriptors are available again: accepting connections");
    else log.warn({ hint: OUT_OF_DESCRIPTORS }, "out of file descriptors: refusing new connections");
  });
  return {
    url: main.url,
    adminUrl: admin.url,
    knownAs: distinctUrl(main.url),
    renewTls() {
      if (!identity) {
        log.info("received a request to reload the certificate, but server.tls_cert is not set");
        return;
      }
      try {
        identity = readTlsIdentity(files);
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
        log.error(
          { reason: error.message, hint: error.hint },
          "certificate not reloaded; the previous one stays in use",
        );
        return;
      }
      for (const listener of opened) listener.renewTls(identity);
      report(identity, clock(), log, "certificate renewed");
    },
    tlsValidTo: () => identity?.validTo,
    async stop(graceMs) {
      endWatch();
      await Promise.all(opened.map((listener) => listener.stop(graceMs)));
    },
  };
}

/**
 * A server that listens on every address is known by the machine's name, since the address would be the same for
 * all.
 */
function distinctUrl(url: string): string {
  return url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, `//${hostname()}`);
}

/**
 * An expired certificate is served all the same: refusing to start would also cut off clients that do not check it.
 */
function report(identity: TlsIdentity, now: Instant, log: Logger, message: string): void {
  const { subject, validFrom, validTo } = identity;
  const fields = {
    subject,
    valid_to: isoTextOfInstant(validTo),
    days_left: daysUntilCertificateExpiry(validTo, now),
  };
  if (validTo <= now) log.warn(fields, `${message}, but it has expired`);
  else if (validFrom > now) log.warn(fields, `${message}, but it is not valid yet`);
  else log.info(fields, message);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
