import { type FillRandom, type IdKind, newDeliveryId, newId } from "../domain/ids.ts";
import type { Instant } from "../domain/time.ts";
import type { Db } from "./engine.ts";
import { applianceStore } from "./queries/appliances.ts";
import { auditStore } from "./queries/audit.ts";
import { claimStore } from "./queries/claims.ts";
import { clockStore } from "./queries/clock.ts";
import { componentStore } from "./queries/components.ts";
import { deliveryStore } from "./queries/deliveries.ts";
import { deliveryLogStore } from "./queries/delivery-log.ts";
import { embedStore } from "./queries/embeds.ts";
import { eventLogStore } from "./queries/event-log.ts";
import { exportStore } from "./queries/export.ts";
import { gaugeStore } from "./queries/gauges.ts";
import { modelStore } from "./queries/models.ts";
import { administratorStore, partnerStore } from "./queries/partners.ts";
import { photoStore } from "./queries/photos.ts";
import { planStore } from "./queries/plans.ts";
import { propertyStore, unitStore } from "./queries/properties.ts";
import { purgeStore } from "./queries/purge.ts";
import { budgetStore, idempotencyStore } from "./queries/requests.ts";
import { sensorEventStore } from "./queries/sensor-events.ts";
import { serviceEventStore } from "./queries/service-events.ts";
import { snapshotStore } from "./queries/snapshots.ts";
import { totalsStore } from "./queries/totals.ts";
import { readable, withoutValues } from "./sqlite/errors.ts";
import type { Migration } from "./sqlite/migrations.ts";
import { openSqlite, type SqliteOptions } from "./sqlite/open.ts";
import { type Durability, type Priority, WriteQueue } from "./sqlite/write-queue.ts";

/** Every table's queries, over one connection. */
const stores = (db: Db) => ({
  partners: partnerStore(db),
  administrators: administratorStore(db),
  properties: propertyStore(db),
  units: unitStore(db),
  appliances: applianceStore(db),
  components: componentStore(db),
  totals: totalsStore(db),
  plans: planStore(db),
  serviceEvents: serviceEventStore(db),
  sensorEvents: sensorEventStore(db),
  claims: claimStore(db),
  photos: photoStore(db),
  purge: purgeStore(db),
  snapshots: snapshotStore(db),
  models: modelStore(db),
  eventLog: eventLogStore(db),
  deliveries: deliveryStore(db),
  deliveryLog: deliveryLogStore(db),
  idempotency: idempotencyStore(db),
  budgets: budgetStore(db),
  clock: clockStore(db),
  audit: auditStore(db),
  embeds: embedStore(db),
  export: exportStore(db),
  gauges: gaugeStore(db),
});
export type Stores = ReturnType<typeof stores>;

/** The stores inside a transaction. Valid until the function that got it returns. */
export type Tx = Stores & {
  /** The wall clock at the start of the group; equal for all its writes. */
  now: Instant;
  /** A moment later than any given before, by this process or another: the later of the clock and the last one plus 1 ms. */
  nextInstant(): Instant;
  /** No later than any that will be given, and no earlier than any that was: when a score was taken. */
  latestInstant(): Instant;
  /**
   * Lets reads and timers have their turn when this write has held the event loop for a while. Call it between the
   * short steps of whatever may be long.
   */
  giveWay(): Promise<void>;
  /** Of the call that this write is part of; null for a job's and a command's. Kept with what it sends. */
  requestId: string | null;
  newId(kind: IdKind): string;
  newDeliveryId(): string;
  /** Says that something changes that the partner is shown: what was answered before is worked out anew. */
  revise(partnerId: string): void;
  /** Says that the partner's outbox got a delivery; told to the listener once the transaction is committed. */
  outboxChanged(partnerId: string): void;
};

export type Store = {
  /** Sees what has been committed, and nothing of a write in progress. */
  read: Stores;
  /**
   * Reads in several steps as if they were one: `read` sees what is committed when it first reads, and nothing of
   * later. Not for long: the log of the database grows meanwhile.
   */
  atOneMoment<T>(run: (read: Stores) => Promise<T>): Promise<T>;
  /**
   * Runs the function in a transaction and resolves with its value once that is committed and on the disk; rejects
   * with nothing written when it throws, and with a StorageError when the disk refuses it. It must wait for nothing
   * but the stores: other writes wait for it.
   */
  write<T>(run: (tx: Tx) => Promise<T>, durability?: Durability, priority?: Priority): Promise<T>;
  /** What a query has failed with, as it may be logged: without the values given to it, a StorageError when it is the disk. */
  explain(error: unknown): unknown;
  /** Changes whenever another process has committed to the same database. */
  dataVersion(): number;
  /** Writes waiting, for the metrics. */
  queueLength(): number;
  onGroup(listener: (jobs: number, durationMs: number) => void): void;
  /** Tells whose outbox got deliveries in a write of this process. */
  onOutbox(listener: (partnerIds: ReadonlySet<string>) => void): void;
  sizeBytes(): number;
  /** Migrations that opening it applied. */
  applied: readonly Migration[];
  close(): Promise<void>;
};

/** How long a write holds the event loop before others have their turn. */
const TURN_MS = 8;

export type StoreOptions = Pick<SqliteOptions, "beforeUpgrade" | "migrations" | "mapsFile" | "purging"> & {
  clock: () => Instant;
  random: FillRandom;
  ticks?: () => number;
  sleep?: (ms: number) => Promise<void>;
  groupSize?: number;
  busyTimeoutMs?: number;
};

/** Opens the database in a file, made and migrated when needed. Throws an OperatorError when it cannot be used. */
export function openStore(file: string, options: StoreOptions): Store {
  const sqlite = openSqlite(file, { ...options, now: options.clock() });
  const inside = stores(sqlite.writer);
  let onOutbox: ((partnerIds: ReadonlySet<string>) => void) | undefined;
  let deliverySequence = new DataView(options.random(new Uint8Array(4)).buffer).getUint32(0);
  const group = { now: 0, lastInstant: 0, moved: false };
  const ticks = options.ticks ?? (() => performance.now());
  let turnAt = 0;
  const giveWay = async () => {
    if (ticks() - turnAt < TURN_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    turnAt = ticks();
  };
  const queue = new WriteQueue(sqlite.connection, {
    groupSize: options.groupSize ?? 64,
    busyTimeoutMs: options.busyTimeoutMs ?? 15_000,
    sleep: options.sleep ?? ((ms) => Bun.sleep(ms)),
    ticks,
    giveWay,
    onBegin: async () => {
      turnAt = ticks();
      group.now = options.clock();
      group.lastInstant = await inside.clock.lastInstant();
      group.moved = false;
    },
    onEnd: async () => {
      if (group.moved) await inside.clock.setLastInstant(group.lastInstant);
    },
  });
  const base = {
    ...inside,
    giveWay,
    requestId: null,
    nextInstant: () => {
      group.moved = true;
      group.lastInstant = Math.max(group.now, group.lastInstant + 1);
      return group.lastInstant;
    },
    latestInstant: () => {
      group.moved ||= group.now > group.lastInstant;
      group.lastInstant = Math.max(group.now, group.lastInstant);
      return group.lastInstant;
    },
    // Never before the ids that are there, also when the clock was set back: lists and deliveries are in their order.
    newId: (kind: IdKind) => newId(kind, Math.max(group.now, group.lastInstant), options.random),
    newDeliveryId: () => newDeliveryId(Math.max(group.now, group.lastInstant), deliverySequence++),
  };
  const explain = (error: unknown) => readable(withoutValues(error), file);
  return {
    read: stores(sqlite.reader),
    async atOneMoment(run) {
      const moment = sqlite.openMoment();
      try {
        return await run(stores(moment.db));
      } finally {
        moment.close();
      }
    },
    async write(run, durability = "durable", priority = "request") {
      const notified = new Set<string>();
      const outboxChanged = (partnerId: string) => void notified.add(partnerId);
      const job = async () => {
        const revised = new Set<string>();
        const revise = (partnerId: string) => void revised.add(partnerId);
        const value = await run({ ...base, now: group.now, outboxChanged, revise });
        for (const partnerId of revised) await inside.partners.revise(partnerId);
        return value;
      };
      const value = await queue.add(job, durability, priority).catch((error) => {
        throw explain(error);
      });
      if (notified.size > 0) onOutbox?.(notified);
      return value;
    },
    explain,
    dataVersion: sqlite.dataVersion,
    queueLength: () => queue.length,
    onGroup: (listener) => {
      queue.onGroup = listener;
    },
    onOutbox: (listener) => {
      onOutbox = listener;
    },
    sizeBytes: sqlite.sizeBytes,
    applied: sqlite.applied,
    close: async () => {
      await queue.close();
      sqlite.close();
    },
  };
}
