import type { ListedServer } from "../cluster/server.ts";
import { toIso } from "../domain/time.ts";
import { flag, instant, list, number, object, text, whole } from "./schema/fields.ts";

/** Of what each server knows of itself alone. */
export const toldBy = text(
  "Where the server listens that tells this: each of several tells of itself",
  "http://10.0.0.11:8080",
);

export const server = object({
  id: text("Of the process: a restarted server is another one", "6f1c2f7e-6f0c-4f5a-9d5e-1f2f3a4b5c6d"),
  address: text("Where it listens, as far as it knows", "http://10.0.0.11:8080"),
  version: text("Version of the server", "0.1.0"),
  schema_version: whole("The newest step of the schema that it knows", 12),
  model: text("The model that it scores with", "2"),
  alive: flag("Whether it was seen within the time of a lease", true),
  silent_s: number("Seconds since it was last seen, by the database's clock", 1.2),
  clock_off_s: number("Its own clock minus the database's, in seconds, as far as it is certain", 0),
  leases: whole("What it holds of what one server at a time may do: partners' webhooks, jobs", 3),
  started_at: instant("When it joined, by the database's clock"),
  seen_at: instant("When it was last seen"),
});

export const serverRecord = server.serializer((one: ListedServer) => ({
  id: one.id,
  address: one.address,
  version: one.version,
  schema_version: one.schemaVersion,
  model: one.model,
  alive: one.isAlive,
  silent_s: one.silentMs / 1000,
  clock_off_s: one.clockOffMs / 1000,
  leases: one.leases,
  started_at: toIso(one.startedAt),
  seen_at: toIso(one.seenAt),
}));

export const servers = object({
  shared: flag("Whether several servers may work on the database; false for one in a data folder", true),
  servers: list(
    "The servers of the last day, the one that joined first first; none where it is not shared",
    server,
  ),
});
export const serversView = servers.serializer(
  (found: { isShared: boolean; servers: readonly ListedServer[] }) => ({
    shared: found.isShared,
    servers: found.servers.map(serverRecord),
  }),
);
