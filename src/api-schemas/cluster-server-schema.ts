import type { ListedServer } from "../cluster/cluster-server.ts";
import { isoText } from "../domain/time.ts";
import { flag, instant, list, number, object, text, whole } from "./definition/schema-field-types.ts";

/** Identifies the server that answered, for data that each server holds on its own. */
export const reportedBy = text("Address of the server that reports this", "http://10.0.0.11:8080");

const server = object({
  id: text("ID of the server process; changes with a restart", "6f1c2f7e-6f0c-4f5a-9d5e-1f2f3a4b5c6d"),
  address: text("Address on which the server listens", "http://10.0.0.11:8080"),
  version: text("The server's version", "0.1.0"),
  schema_version: whole("The newest schema version that the server supports", 12),
  model: text("Version of the scoring model", "2"),
  alive: flag("Whether the server was seen within the lease time", true),
  silent_s: number("Seconds since the server was last seen, by the database's clock", 1.2),
  clock_off_s: number(
    "The server's clock minus the database's, in seconds, after allowing for network delay",
    0,
  ),
  leases: whole("Leases that the server holds: partners' webhooks, jobs", 3),
  started_at: instant("When the server started, by the database's clock"),
  seen_at: instant("When the server was last seen"),
});

const serializeServer = server.serializer((server: ListedServer) => ({
  id: server.id,
  address: server.address,
  version: server.version,
  schema_version: server.schemaVersion,
  model: server.model,
  alive: server.isAlive,
  silent_s: server.silentMs / 1000,
  clock_off_s: server.clockOffMs / 1000,
  leases: server.leases,
  started_at: isoText(server.startedAt),
  seen_at: isoText(server.seenAt),
}));

export const servers = object({
  shared: flag("Whether the servers share a database; false for a database in a data folder", true),
  servers: list("Servers of the last 24 hours, oldest first; empty if the database is not shared", server),
});
export const serializeServers = servers.serializer(
  (found: { isShared: boolean; servers: readonly ListedServer[] }) => ({
    shared: found.isShared,
    servers: found.servers.map(serializeServer),
  }),
);
