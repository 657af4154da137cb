import { parseAdminListenSetting } from "../../config/setting-formats.ts";
import type { Config } from "../../config/settings.ts";

/** Long enough for requests in progress, and short enough for a user who waits at a terminal. */
const SHUTDOWN_GRACE_S = 2;

/**
 * Adapts the effective settings to the demo: its own data folder, plain HTTP, no rate limits, and deliveries to
 * loopback addresses. Replaces ports that are in use by free ones.
 */
export function demoCommandConfig(config: Config, dataDir: string): Config {
  const { server, admin, limits, storage, webhooks } = config;
  return {
    ...config,
    server: {
      ...server,
      port: freeOrAny(server.host, server.port),
      tlsCert: "",
      tlsKey: "",
      drainS: 0,
      shutdownGraceS: SHUTDOWN_GRACE_S,
    },
    admin: { ...admin, listen: freeListen(admin.listen) },
    storage: { ...storage, dataDir, url: "" },
    limits: { ...limits, perIpPerMinute: 0, perPartnerPerMinute: 0 },
    webhooks: { ...webhooks, allowNetworks: [], denyNetworks: [], proxy: "" },
  };
}

function freeListen(listen: string): string {
  const address = parseAdminListenSetting(listen);
  if (address === undefined || address === "main") return listen;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  return `${host}:${freeOrAny(address.host, address.port)}`;
}

/** Returns the port, or 0 if it is in use. */
function freeOrAny(hostname: string, port: number): number {
  try {
    Bun.listen({ hostname, port, socket: { data() {} } }).stop(true);
    return port;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return 0;
    return port; // the server reports the problem when it listens
  }
}
