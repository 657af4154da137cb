import { statSync } from "node:fs";
import { type IdKind, newDeliveryId, newId } from "../../domain/ids.ts";
import type { Store, StoreOptions } from "../store.ts";
import { storesOf } from "../stores.ts";
import { readable, withoutValues } from "./errors.ts";
import { openSqlite, type SqliteOptions } from "./open.ts";
import { WriteQueue } from "./write-queue.ts";

/** How long a write holds the event loop before others have their turn. */
const TURN_MS = 8;

export type SqliteStoreOptions = StoreOptions &
  Pick<SqliteOptions, "beforeUpgrade" | "migrations" | "mapsFile" | "purging"> & {
    /** How long to wait for another process's transaction. */
    busyTimeoutMs?: number;
  };

/** Opens the database in a file, made and migrated when needed. Throws an OperatorError when it cannot be used. */
export function openSqliteStore(file: string, options: SqliteStoreOptions): Store {
  const sqlite = openSqlite(file, { ...options, now: options.clock() });
  const inside = storesOf(sqlite.writer);
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
    read: storesOf(sqlite.reader),
    async atOneMoment(run) {
      const moment = sqlite.openMoment();
      try {
        return await run(storesOf(moment.engine));
      } finally {
        moment.close();
      }
    },
    async write(run, { durability = "durable", priority = "request" } = {}) {
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
    async sizes() {
      const logBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
      return { databaseBytes: sqlite.sizeBytes(), logBytes };
    },
    applied: sqlite.applied,
    close: async () => {
      await queue.close();
      sqlite.close();
    },
  };
}
