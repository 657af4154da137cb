import { statSync } from "node:fs";
import { notFound } from "../../domain/errors.ts";
import { deliveryIdAt, type IdKind, increasingIdGenerator } from "../../domain/ids/record-ids.ts";
import { TimeSlice, yieldToNextIteration } from "../../event-loop/event-loop.ts";
import {
  extendStores,
  type NumberedList,
  type PartnerRows,
  type Store,
  type StoreOptions,
} from "../store.ts";
import { createStores } from "../stores.ts";
import { openSqlite, type SqliteOptions } from "./open-sqlite.ts";
import { explainSqliteError, sqliteErrorWithoutValues } from "./sqlite-errors.ts";
import { SQLITE_MIGRATIONS } from "./sqlite-migrations.ts";
import { WriteQueue } from "./sqlite-write-queue.ts";

/** The longest time that a write runs between two yields to the event loop, in milliseconds. */
const SLICE_MS = 8;
/** A transaction with more slices may have changed so much that its commit would exceed a slice. */
const LONG_SLICES = 8;

/** Options for opening a data folder's store. */
export type SqliteStoreOptions = StoreOptions &
  Pick<
    SqliteOptions,
    "beforeUpgrade" | "migrations" | "requiresCurrentSchema" | "mapsFile" | "purging" | "isServing"
  > & {
    /** How long a write waits for another process's transaction, in milliseconds. */
    busyTimeoutMs?: number;
  };

/** Opens the database in a file; creates and migrates it when needed. Throws an OperatorError when it can't be used. */
export function openSqliteStore(file: string, options: SqliteStoreOptions): Store {
  const sqlite = openSqlite(file, { ...options, now: options.clock() });
  const inside = createStores(sqlite.writer);
  let onOutbox: ((partnerIds: ReadonlySet<string>) => void) | undefined;
  const idAt = increasingIdGenerator(options.random);
  let deliverySequence = new DataView(options.random(new Uint8Array(4)).buffer).getUint32(0);
  const group = { now: 0, lastInstant: 0, moved: false };
  const monotonicMs = options.monotonicMs ?? (() => performance.now());
  const slice = new TimeSlice(SLICE_MS, monotonicMs);
  let slices = 0;
  let steps = 0;
  const yieldIfDue = async () => {
    steps++;
    if (!slice.isOver()) return;
    if (++slices === LONG_SLICES) sqlite.connection.markLong();
    await slice.yieldIfOver(yieldToNextIteration);
  };
  const queue = new WriteQueue(sqlite.connection, {
    groupSize: options.groupSize ?? 64,
    busyTimeoutMs: options.busyTimeoutMs ?? 15_000,
    sleep: options.sleep ?? ((ms) => Bun.sleep(ms)),
    monotonicMs,
    yieldIfDue,
    onBegin: async () => {
      slice.restart();
      slices = 0;
      group.now = options.clock();
      group.lastInstant = await inside.clock.lastInstant();
      group.moved = false;
    },
    onEnd: async () => {
      if (group.moved) await inside.clock.setLastInstant(group.lastInstant);
    },
  });
  // There is one writer at a time, so that one clock dates the rows of all partners.
  const nextInstant = () => {
    group.moved = true;
    group.lastInstant = Math.max(group.now, group.lastInstant + 1);
    return group.lastInstant;
  };
  const latestInstant = () => {
    group.moved ||= group.now > group.lastInstant;
    group.lastInstant = Math.max(group.now, group.lastInstant);
    return group.lastInstant;
  };
  // Never earlier than existing ids, even after the clock was set back: ids order lists and deliveries.
  const idInstant = () => Math.max(group.now, group.lastInstant);
  const newDelivery = () => deliveryIdAt(latestInstant(), deliverySequence++);
  const base = extendStores(inside, {
    yieldToEventLoop: yieldIfDue,
    changes: sqlite.changes,
    requestId: null,
    latestInstant: async () => latestInstant(),
    newId: (kind: IdKind) => idAt(kind, idInstant()),
  });
  async function openRows(partnerId: string): Promise<PartnerRows> {
    const numbers: Record<NumberedList, number> | undefined = await inside.totals.stored(partnerId);
    if (!numbers) throw notFound("Partner not found");
    const nextSeq = (list: NumberedList) => ++numbers[list];
    const latestSeq = (list: NumberedList) => numbers[list];
    return { nextSeq, latestSeq, nextInstant, latestInstant, newDeliveryId: newDelivery };
  }
  const explain = (error: unknown) => explainSqliteError(sqliteErrorWithoutValues(error), file);
  return {
    // The lock on the data folder excludes other servers.
    isShared: false,
    read: createStores(sqlite.reader),
    async inReadSnapshot(run) {
      const snapshot = sqlite.openReadSnapshot();
      try {
        return await run(createStores(snapshot.engine));
      } finally {
        snapshot.close();
      }
    },
    async write(run, { durability = "durable", priority = "request" } = {}) {
      const notified = new Set<string>();
      const outboxChanged = (partnerId: string) => void notified.add(partnerId);
      const job = async () => {
        const revised = new Set<string>();
        const bumpRevision = (partnerId: string) => void revised.add(partnerId);
        const rows = new Map<string, Promise<PartnerRows>>();
        const forPartner = (partnerId: string) => {
          const known = rows.get(partnerId) ?? openRows(partnerId);
          rows.set(partnerId, known);
          return known;
        };
        const value = await run(
          extendStores(base, { now: group.now, forPartner, outboxChanged, bumpRevision }),
        );
        for (const partnerId of revised) await inside.partners.bumpRevision(partnerId);
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
    // Each statement names the index that it uses.
    analyze: async () => {},
    writerSteps: () => steps,
    async sizes() {
      const logBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
      return { databaseBytes: sqlite.sizeBytes(), logBytes };
    },
    ...(options.purging && {
      overwriteFreeSpace: (yieldNow: () => Promise<void>) =>
        sqlite
          .overwriteFreePages((run) => queue.add(async () => run(), "process", "background"), yieldNow)
          .catch((error) => {
            throw explain(error);
          }),
    }),
    schemaVersion: SQLITE_MIGRATIONS.at(-1)!.number,
    applied: sqlite.applied,
    close: async () => {
      await queue.close();
      await sqlite.settled();
      sqlite.close();
    },
  };
}
