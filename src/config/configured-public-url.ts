import type { Config } from "./settings.ts";

/** Addresses that mean all interfaces, for which links use "localhost". */
const ALL_INTERFACES = new Set(["0.0.0.0", "::"]);

/**
 * Returns the base URL of links to the service, without a trailing slash: `server.public_url`, else the address that the
 * server listens on, with the base path. `listening` is the actual address, which differs from the settings for port 0.
 */
export function configuredPublicUrl({ server }: Config, listening?: string): string {
  if (server.publicUrl !== "") return server.publicUrl.replace(/(?<!\/)\/+$/, "");
  const { host, port, tlsCert, basePath } = server;
  const named = ALL_INTERFACES.has(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
  const scheme = tlsCert === "" ? "http" : "https";
  return `${listening ?? `${scheme}://${named}:${port}`}${basePath}`;
}
