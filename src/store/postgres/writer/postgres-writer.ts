import type { IdKind } from "../../../domain/ids/record-ids.ts";
import type { Instant } from "../../../domain/time.ts";
import { extendStores, type Tx } from "../../store.ts";
import { createStores, type Stores } from "../../stores.ts";
import type { PostgresConnections } from "../connection/postgres-connections.ts";
import { postgresEngine } from "../postgres-engine.ts";
import { dropDeadPostgresConnections } from "./postgres-dead-connection-watchdog.ts";
import { PostgresGroupCommitter } from "./postgres-group-committer.ts";
import { PostgresPartnerLocks } from "./postgres-partner-locks.ts";
import type { PostgresQueuedWrite } from "./postgres-queued-write.ts";
import { PostgresStatementBatcher } from "./postgres-statement-batcher.ts";
import { PostgresWriterConnection } from "./postgres-writer-connection.ts";

const LOCK_CLOCK = {
  text: "SELECT last_instant FROM clock FOR UPDATE",
  values: [],
  tables: new Set(["clock"]),
};

/** One connection that writes, with the stores that its transactions use. */
export type Writer = {
  committer: PostgresGroupCommitter;
  stores: Stores;
  /** The context of the current transaction, passed to each of its jobs. */
  transaction(): Omit<Tx, "bumpRevision" | "outboxChanged">;
};

type WriterOptions = {
  connections: PostgresConnections;
  /** The writer's name, unique among all writers on the database. */
  name: string;
  groupSize: number;
  clock: () => Instant;
  monotonicMs: () => number;
  newId: (kind: IdKind, at: Instant) => string;
  /** The number that tells deliveries of the same instant apart. */
  nextDelivery: () => number;
  yieldToEventLoop: () => Promise<void>;
  lockTimeoutMs: (group: readonly PostgresQueuedWrite[]) => number;
  onGroup: (jobs: number, durationMs: number) => void;
};

/** Opens a connection that writes. Rejects if the database does not respond. */
export function openPostgresWriter(options: WriterOptions): Writer {
  const { connections, name, clock, monotonicMs, groupSize, yieldToEventLoop } = options;
  const { preparesStatements } = connections.address;
  const connection = new PostgresWriterConnection(connections);
  const batcher = new PostgresStatementBatcher(connection, preparesStatements);
  const partners = new PostgresPartnerLocks(batcher, preparesStatements, options.nextDelivery);
  const stores = keepingRevisions(
    cachingEndpoints(createStores(postgresEngine(batcher, preparesStatements, batcher)), batcher),
    () => committer.surviveCrash(),
  );
  let now = 0;
  const committer: PostgresGroupCommitter = new PostgresGroupCommitter({
    connection,
    writer: name,
    preparesStatements,
    groupSize,
    monotonicMs,
    reconnectMs: connections.reconnectMs,
    watchConnection: (onDead) =>
      dropDeadPostgresConnections({ connections, writer: name }, () => connection.client, onDead),
    lockTimeoutMs: options.lockTimeoutMs,
    onBegin: (partnerIds, which) => {
      now = clock();
      batcher.beginTransaction();
      return partners.begin(now, partnerIds, which);
    },
    isLocked: (partnerId) => partners.has(partnerId),
    onJob: () => {
      const discardPartners = partners.beginJob();
      batcher.beginJob();
      return () => {
        discardPartners();
        return batcher.discardJob();
      };
    },
    flush: async () => await batcher.flush(),
    beforeCommit: () => partners.save(),
    yieldToEventLoop,
    onGroup: options.onGroup,
  });
  const latestInstant = async () => {
    const { rows } = await batcher.read(LOCK_CLOCK);
    const lastInstant = Math.max(now, Number((rows[0] as { last_instant: string }).last_instant));
    await stores.clock.setLastInstant(lastInstant);
    return lastInstant;
  };
  const base = extendStores(stores, {
    yieldToEventLoop,
    changes: () => batcher.writes,
    requestId: null,
    latestInstant,
    newId: (kind: IdKind) => options.newId(kind, partners.latest),
    forPartner: (partnerId: string) => partners.open(partnerId),
  });
  return { committer, stores, transaction: () => extendStores(base, { now }) };
}

/** Most writes ask for their partner's webhook endpoint, and those of a group are mostly of the same partner. */
function cachingEndpoints(stores: Stores, batcher: PostgresStatementBatcher): Stores {
  const findEndpoint = (id: string) =>
    batcher.cached(`endpoint ${id}`, "webhook_receivers", () => stores.partners.findEndpoint(id));
  return extendStores(stores, { partners: { ...stores.partners, findEndpoint } });
}

/**
 * Has every write that raises a revision survive a crash. A revision that a crash takes back would be given again, to other
 * data than those that servers keep under it.
 */
function keepingRevisions(stores: Stores, surviveCrash: () => void): Stores {
  const { partners } = stores;
  const bumps: Pick<typeof partners, "bumpRevision" | "bumpAllRevisions"> = {
    bumpRevision(id) {
      surviveCrash();
      return partners.bumpRevision(id);
    },
    bumpAllRevisions() {
      surviveCrash();
      return partners.bumpAllRevisions();
    },
  };
  return extendStores(stores, { partners: { ...partners, ...bumps } });
}
