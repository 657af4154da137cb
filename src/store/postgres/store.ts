import type pg from "pg";
import type { IdKind } from "../../domain/ids.ts";
import { risingIds } from "../../domain/ids.ts";
import { TimeSlice } from "../../event-loop.ts";
import type { Store, StoreOptions, Tx } from "../store.ts";
import { storesOf } from "../stores.ts";
import { budgetReservations } from "./budget-reservations.ts";
import { parseAddress } from "./connection/address.ts";
import { ChangePoller } from "./connection/change-poller.ts";
import { Connections } from "./connection/connections.ts";
import { openReadSnapshot } from "./connection/read-snapshot.ts";
import { postgresEngine } from "./engine.ts";
import { explainError, isLockTimeout } from "./errors.ts";
import { applyMigrations, refuseEmpty, requireUsable } from "./migrate.ts";
import { MIGRATIONS, type Migration } from "./migrations.ts";
import { GroupCommitter } from "./writer/group-committer.ts";
import { hasStalledTransaction } from "./writer/idle-in-transaction-check.ts";
import type { Job } from "./writer/job.ts";
import { LockedPartners } from "./writer/locked-partners.ts";
import { StatementBatcher } from "./writer/statement-batcher.ts";

/** The longest time that a write runs between two yields to the event loop, in milliseconds. */
const SLICE_MS = 8;
/** Connections that write what requests ask for; a partner's writes always go by the same. */
const LANES = 4;
/** One more for long writes of a series, and one for what waits for rows that another transaction holds. */
const BACKGROUND = LANES;
const HELD_UP = LANES + 1;
/** How long a transaction waits for a row that another holds, others waiting behind it. */
const SHORT_WAIT_MS = 300;
/** The same where nobody waits behind it. */
const LONG_WAIT_MS = 8_000;
/** Of the time until a caller is refused that cannot be served: what is left is for the refusal itself. */
const HELD_SHARE = 0.9;
/** How much longer a write waits, each time and in all, while whoever holds its rows goes on with its work. */
const FURTHER_MS = 1_000;
const MOST_MS = 8_000;

const LOCK_CLOCK = "SELECT last_instant FROM clock FOR UPDATE";

/** The tables that an import fills. */
const ANALYZE = [
  "BEGIN; SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = '60s'; ANALYZE properties, property_totals,",
  "property_plans, units, appliances, components, service_events, event_log; COMMIT",
].join(" ");
/** Longer than it takes for that, or ends it. */
const ANALYZED_WITHIN_MS = 65_000;

export type PostgresStoreOptions = StoreOptions & {
  migrations?: readonly Migration[];
  /** What to tell whoever has named an empty database, which is refused then; else it gets the schema. */
  whenEmpty?: string | undefined;
};

/**
 * Opens the database at an address (`storage.url`), migrated when needed. Rejects with an OperatorError when it cannot
 * be used.
 */
export async function openPostgresStore(url: string, options: PostgresStoreOptions): Promise<Store> {
  const address = parseAddress(url);
  const connections = new Connections(address);
  const explain = (error: unknown) => explainError(error, address);
  const { migrations = MIGRATIONS, whenEmpty } = options;
  try {
    const client = await connections.open();
    await requireUsable(client, address);
    if (whenEmpty !== undefined) await refuseEmpty(client, address, migrations, whenEmpty);
    const applied = await applyMigrations(client, address, migrations, options.clock());
    const process = Buffer.from(options.random(new Uint8Array(12))).toString("base64url");
    const pulse = new ChangePoller(connections, process);
    await pulse.start(client);
    return assemble(connections, { ...options, applied, process, pulse });
  } catch (error) {
    await connections.close();
    throw explain(error);
  }
}

type Assembled = PostgresStoreOptions & {
  applied: readonly Migration[];
  /** Tells this process from all others. */
  process: string;
  pulse: ChangePoller;
};

function assemble(connections: Connections, options: Assembled): Store {
  const { address } = connections;
  const { process, pulse } = options;
  const explain = (error: unknown) => explainError(error, address);
  const ticks = options.monotonicMs ?? (() => performance.now());
  const idAt = risingIds(options.random);
  let deliverySequence = new DataView(options.random(new Uint8Array(4)).buffer).getUint32(0);
  let onOutbox: ((partnerIds: ReadonlySet<string>) => void) | undefined;
  let onGroup: ((jobs: number, durationMs: number) => void) | undefined;
  const slice = new TimeSlice(SLICE_MS, ticks);
  const yieldToEventLoop = async () => {
    await slice.yieldIfOver();
  };

  /** How many writes of each partner wait for rows that another transaction holds. */
  const heldUp = new Map<string, number>();
  const waitMs = (number: number) => (group: readonly Job[]) => {
    if (number === BACKGROUND) return LONG_WAIT_MS;
    if (number < LANES) return SHORT_WAIT_MS;
    return Math.min(...group.map(({ deadline }) => deadline)) - ticks();
  };
  const lanes = Array.from({ length: HELD_UP + 1 }, (_, number) => {
    let now = 0;
    const lane: GroupCommitter = new GroupCommitter({
      connections,
      writer: `${process}-${number}`,
      names: address.prepares,
      // Nobody waits for long writes of a series and for their commit.
      groupSize: number === BACKGROUND ? 1 : (options.groupSize ?? 64),
      ticks,
      yieldToEventLoop,
      waitMs: waitMs(number),
      onBegin: (partnerIds, which) => {
        now = options.clock();
        gathered.begin();
        return partners.begin(now, partnerIds, which);
      },
      isLocked: (partnerId) => partners.has(partnerId),
      onJob: () => {
        const forget = partners.beginJob();
        gathered.beginJob();
        return () => {
          forget();
          return gathered.takeBack();
        };
      },
      flush: async () => await gathered.flush(),
      onEnd: () => partners.save(),
      onGroup: (jobs, durationMs) => onGroup?.(jobs, durationMs),
    });
    const gathered = new StatementBatcher(lane.runner, address.prepares);
    const partners = new LockedPartners(gathered, address.prepares, () => deliverySequence++);
    const stores = storesOf(postgresEngine(gathered, address.prepares, gathered));
    // Most writes ask for it, and those of a group are mostly of the same partner.
    const findReceiver = (id: string) =>
      gathered.remember(`receiver ${id}`, "webhook_receivers", () => stores.partners.findReceiver(id));
    const inside = { ...stores, partners: { ...stores.partners, findReceiver } };
    const latestInstant = async () => {
      const { rows } = await gathered.read({ text: LOCK_CLOCK, values: [] });
      const lastInstant = Math.max(now, Number((rows[0] as { last_instant: string }).last_instant));
      await inside.clock.setLastInstant(lastInstant);
      return lastInstant;
    };
    const newIdOf = (kind: IdKind) => idAt(kind, partners.latest);
    const base = { ...inside, yieldToEventLoop, requestId: null, latestInstant, newId: newIdOf };
    const forPartner = (partnerId: string) => partners.open(partnerId);
    return {
      lane,
      inside,
      begin: (): Omit<Tx, "bumpRevision" | "outboxChanged"> => ({ ...base, now, forPartner }),
    };
  });
  const laneFor = (partnerIds: readonly string[], isBackground: boolean) => {
    if (isBackground) return lanes[BACKGROUND]!;
    const [partnerId] = partnerIds;
    if (partnerIds.some((id) => heldUp.has(id))) return lanes[HELD_UP]!;
    if (partnerId !== undefined) return lanes[Number(Bun.hash(partnerId)) % LANES]!;
    return lanes.slice(0, LANES).reduce((best, one) => (one.lane.load < best.lane.load ? one : best));
  };
  const leave = (partnerId: string) => {
    const left = heldUp.get(partnerId)! - 1;
    if (left > 0) heldUp.set(partnerId, left);
    else heldUp.delete(partnerId);
  };
  /** Each resolves when its writer is told what has become of it. */
  const unsettled = new Set<Promise<void>>();
  let isClosed = false;

  return {
    read: storesOf(postgresEngine(connections.reader, address.prepares)),
    async inReadSnapshot(run) {
      const moment = await openReadSnapshot(connections);
      try {
        return await run(storesOf(postgresEngine(moment.runner, address.prepares)));
      } finally {
        await moment.close();
      }
    },
    async write(run, how = {}) {
      const { durability = "durable", priority = "request", partnerId, partnerIds = [], sharedRow } = how;
      if (isClosed) throw new Error("the store is closed");
      const ids = partnerId === undefined ? partnerIds : [partnerId, ...partnerIds];
      const isBackground = priority === "background";
      const startedAt = ticks();
      let deadline = startedAt + connections.reconnectMs * HELD_SHARE;
      let notified = new Set<string>();
      const runIn = async ({ inside, begin }: (typeof lanes)[number]) => {
        notified = new Set();
        const revised = new Set<string>();
        const value = await run({
          ...begin(),
          outboxChanged: (id: string) => void notified.add(id),
          bumpRevision: (id: string) => void revised.add(id),
        });
        for (const id of [...revised].sort()) await inside.partners.bumpRevision(id);
        return value;
      };
      const told = Promise.withResolvers<void>();
      unsettled.add(told.promise);
      const value = await new Promise<unknown>((resolve, reject) => {
        const enter = (on: (typeof lanes)[number]) => {
          const isHeld = on === lanes[HELD_UP];
          if (isHeld) for (const id of ids) heldUp.set(id, (heldUp.get(id) ?? 0) + 1);
          on.lane.add({
            run: () => runIn(on),
            isDurable: durability === "durable",
            ...{ partnerIds: ids, sharedRow, deadline },
            settle(error, value) {
              if (isHeld) for (const id of ids) leave(id);
              if (error === undefined) resolve(value);
              else if (!isLockTimeout(error) || isBackground) reject(explain(error));
              else if (ticks() < deadline) enter(lanes[HELD_UP]!);
              else
                void hasStalledTransaction(connections.reader).then((standsStill) => {
                  const now = ticks();
                  if (standsStill || isClosed || now >= startedAt + MOST_MS) return reject(explain(error));
                  deadline = Math.min(now + FURTHER_MS, startedAt + MOST_MS);
                  enter(lanes[HELD_UP]!);
                });
            },
          });
        };
        enter(laneFor(ids, isBackground));
      }).finally(() => {
        unsettled.delete(told.promise);
        told.resolve();
      });
      if (notified.size > 0) onOutbox?.(notified);
      return value as Awaited<ReturnType<typeof run>>;
    },
    explain,
    isShared: true,
    budgetReservations: budgetReservations(connections, process),
    dataVersion: () => pulse.version,
    queueLength: () => lanes.reduce((sum, { lane }) => sum + lane.length, 0),
    onGroup: (listener) => {
      onGroup = listener;
    },
    onOutbox: (listener) => {
      onOutbox = listener;
    },
    async analyze() {
      if (isClosed) return;
      await connections
        .open()
        .then(async (client) => {
          const analyze = { text: ANALYZE, query_timeout: ANALYZED_WITHIN_MS } as pg.QueryConfig;
          await client.query(analyze).finally(() => connections.end(client));
        })
        // What it is for goes on, only slower.
        .catch(() => {});
    },
    async sizes() {
      const { rows } = await connections.reader.read({
        text: "SELECT pg_database_size(current_database())::float8 AS bytes",
        values: [],
      });
      return { databaseBytes: (rows[0] as { bytes: number }).bytes, logBytes: 0 };
    },
    schemaVersion: MIGRATIONS.at(-1)!.number,
    applied: options.applied,
    async close() {
      isClosed = true;
      // Nobody waits for a commit that hangs once its writers are told.
      await Promise.all([...unsettled]);
      await pulse.end();
      await connections.close();
    },
  };
}
