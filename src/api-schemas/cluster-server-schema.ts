import type { ListedServer } from "../cluster/cluster-server.ts";
import { isoTextOfInstant } from "../domain/time.ts";
import {
  flagSchema,
  instantSchema,
  listSchema,
  numberSchema,
  objectSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";

/** Identifies the server that answered, for data that each server holds on its own. */
export const reportedBy = textSchema("Address of the server that reports this", "http://10.0.0.11:8080");

const server = objectSchema({
  id: textSchema("ID of the server process; changes with a restart", "6f1c2f7e-6f0c-4f5a-9d5e-1f2f3a4b5c6d"),
  address: textSchema("Address on which the server listens", "http://10.0.0.11:8080"),
  version: textSchema("The server's version", "0.1.0"),
  schema_version: wholeNumberSchema("The newest schema version that the server supports", 12),
  model: textSchema("Version of the scoring model", "2"),
  alive: flagSchema("Whether the server was seen within the lease time", true),
  silent_s: numberSchema("Seconds since the server was last seen, by the database's clock", 1.2),
  clock_off_s: numberSchema(
    "The server's clock minus the database's, in seconds, after allowing for network delay",
    0,
  ),
  leases: wholeNumberSchema("Leases that the server holds: partners' webhooks, jobs", 3),
  started_at: instantSchema("When the server started, by the database's clock"),
  seen_at: instantSchema("When the server was last seen"),
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
  started_at: isoTextOfInstant(server.startedAt),
  seen_at: isoTextOfInstant(server.seenAt),
}));

export const servers = objectSchema({
  shared: flagSchema("Whether the servers share a database; false for a database in a data folder", true),
  servers: listSchema(
    "Servers of the last 24 hours, oldest first; empty if the database is not shared",
    server,
  ),
});
export const serializeServers = servers.serializer(
  (found: { isShared: boolean; servers: readonly ListedServer[] }) => ({
    shared: found.isShared,
    servers: found.servers.map(serializeServer),
  }),
);
