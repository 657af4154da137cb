import { parseListen } from "../../config/formats.ts";
import type { Config } from "../../config/settings.ts";

/** Long enough for what is under way; nobody at a terminal waits for more. */
const SHUTDOWN_GRACE_S = 2;

/**
 * The settings in force, changed to what a demo needs: a folder of its own, plain HTTP, no limits on what is tried,
 * and deliveries that reach this machine. Ports that others have taken are exchanged for free ones.
 */
export function demoConfig(config: Config, dataDir: string): Config {
  const { server, admin, limits, webhooks } = config;
  return {
    ...config,
    server: {
      ...server,
      port: freeOrAny(server.host, server.port),
      tlsCert: "",
      tlsKey: "",
      shutdownGraceS: SHUTDOWN_GRACE_S,
    },
    admin: { listen: freeListen(admin.listen) },
    storage: { dataDir, url: "" },
    limits: { ...limits, perIpPerMinute: 0, perPartnerPerMinute: 0 },
    webhooks: { ...webhooks, allowNetworks: [], denyNetworks: [], proxy: "" },
  };
}

function freeListen(listen: string): string {
  const address = parseListen(listen);
  if (address === undefined || address === "main") return listen;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  return `${host}:${freeOrAny(address.host, address.port)}`;
}

/** The port, or 0 when it is taken. */
function freeOrAny(hostname: string, port: number): number {
  try {
    Bun.listen({ hostname, port, socket: { data() {} } }).stop(true);
    return port;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return 0;
    return port; // the server's own attempt says what is wrong with it
  }
}
