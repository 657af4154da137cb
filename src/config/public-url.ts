import type { Config } from "./settings.ts";

/** A server that listens everywhere is at home on its own machine. */
const EVERYWHERE = new Set(["0.0.0.0", "::"]);

/**
 * What links to the service begin with, without a slash at the end: `server.public_url`, or else the address that it
 * listens on with its base path. `listening` is that address where it is known, since port 0 picks one.
 */
export function publicUrl({ server }: Config, listening?: string): string {
  if (server.publicUrl !== "") return server.publicUrl.replace(/\/+$/, "");
  const { host, port, tlsCert, basePath } = server;
  const named = EVERYWHERE.has(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
  const scheme = tlsCert === "" ? "http" : "https";
  return `${listening ?? `${scheme}://${named}:${port}`}${basePath}`;
}
