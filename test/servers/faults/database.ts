import type { Database } from "../database.ts";
import type { CutAtCommit, LostAtCommit, Mode } from "../database-proxy.ts";
import type { RoundContext } from "../round-context.ts";
import { type Fault, isGone, retryWhileGone } from "./fault.ts";

/** A fault of the database that repeats until the signal. */
type DatabaseFault = Omit<Fault, "inflict" | "needsDatabase"> & {
  inflict(database: Database, ...rest: Parameters<Fault["inflict"]>): Promise<void>;
};

const ofDatabase = ({ inflict, ...fault }: DatabaseFault): Fault => ({
  ...fault,
  needsDatabase: true,
  inflict: (context, random, until) => inflict(context.database!, context, random, until),
});

const restarts = (name: string, what: string, how: "fast" | "crash") =>
  ofDatabase({
    name,
    what,
    ownsDatabase: true,
    async inflict(database, _, random, until) {
      while (!until.aborted) {
        await Bun.sleep(random.between(1_000, 3_000));
        await database.primary().stop(how);
        await Bun.sleep(random.below(1_000));
        await database.primary().start();
      }
    },
  });

const failsOver = ofDatabase({
  name: "database-failover",
  what: "the primary killed, and its synchronous standby made the primary",
  ownsDatabase: true,
  async inflict(database, _, random, until) {
    await retryWhileGone(() => database.standby());
    await Bun.sleep(random.between(1_000, 3_000));
    await database.failOver();
    while (!until.aborted) await Bun.sleep(100);
  },
});

const cuts = ofDatabase({
  name: "connections-cut",
  what: "every connection ended by pg_terminate_backend, every second",
  async inflict(database, _, random, until) {
    while (!until.aborted) {
      await Bun.sleep(random.between(500, 1_500));
      await database.ask(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
      );
    }
  },
});

const cutsAtCommit = ofDatabase({
  name: "commit-cut",
  what: "connections cut at COMMIT: before the database receives it, or before its response arrives",
  async inflict({ wire }, _, random, until) {
    wire.cutAtCommit = () =>
      random.chance(0.05) ? random.pick<CutAtCommit>(["before", "after"]) : undefined;
    while (!until.aborted) await Bun.sleep(100);
    wire.cutAtCommit = () => undefined;
  },
});

const losesAtCommit = ofDatabase({
  name: "connection-lost",
  what: "a connection that commits loses every packet, one every four seconds, and neither side is notified",
  async inflict({ wire }, _, random, until) {
    while (!until.aborted) {
      wire.lostAtCommit = random.pick<LostAtCommit>(["unheard", "unanswered"]);
      // The database keeps the slot of a connection that it takes for idle: more of them at once would use up all
      // slots.
      await Bun.sleep(random.between(3_000, 5_000));
    }
    wire.lostAtCommit = undefined;
  },
});

/** Takes the database away for that long, and checks that every server reports it. */
async function without(database: Database, context: RoundContext, mode: Mode, forMs: number): Promise<void> {
  const { wire } = database;
  wire.mode = mode;
  if (mode === "refused") wire.cut();
  const { caller, fleet, record } = context;
  const backAt = performance.now() + forMs;
  // A server that was cut off silently notices at its next query.
  await Bun.sleep(Math.min(5_000, forMs / 2));
  for (const server of fleet.servers) {
    const health = await caller.once({ method: "GET", path: "/health", credential: {} }, server);
    if (health && health.status !== 503)
      record.wrong(`${server.name} said ${health.status} at /health while it could not reach its database`);
  }
  await Bun.sleep(Math.max(0, backAt - performance.now()));
  wire.mode = "through";
  // Lost data stays lost: after a network failure the connections are unusable.
  wire.cut();
}

const away = (name: string, what: string, mode: Mode, forMs: number, isLong = false) =>
  ofDatabase({
    name,
    what,
    isLong,
    async inflict(database, context, random, until) {
      do {
        await Bun.sleep(random.between(500, 2_000));
        await without(database, context, mode, forMs);
        await Bun.sleep(2_000);
      } while (!until.aborted);
    },
  });

const exhausts = ofDatabase({
  name: "connections-exhausted",
  what: "all connections cut, and every connection slot taken by another client for 3 s",
  async inflict(database, _, random, until) {
    while (!until.aborted) {
      await Bun.sleep(random.between(500, 1_500));
      const taken: Awaited<ReturnType<Database["session"]>>[] = [];
      database.wire.cut();
      try {
        for (;;) taken.push(await database.session());
      } catch {
        // All remaining connections are taken.
      }
      await Bun.sleep(3_000);
      await Promise.all(taken.map((session) => session.end()));
    }
  },
});

/** The share of a thousand rows whose write fails the transaction: half of them at once, half at the commit. */
const FAILED_PERMILLE = 3;
const TABLES = ["properties", "appliances", "service_events", "sensor_events", "webhook_deliveries"];

const conflicts = ofDatabase({
  name: "conflicts",
  what: "serialization failures and deadlocks reported by statements and by commits",
  async inflict(database, _, __, until) {
    await untilDone(
      database,
      `CREATE OR REPLACE FUNCTION fail_by_chance() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF random() * 1000 < ${FAILED_PERMILLE / 2} THEN
          IF random() < 0.5 THEN RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001'; END IF;
          RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01';
        END IF;
        RETURN NEW;
      END $$`,
    );
    for (const table of TABLES) {
      await untilDone(
        database,
        `CREATE OR REPLACE TRIGGER fails_at_once BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION fail_by_chance()`,
      );
      await untilDone(
        database,
        `DROP TRIGGER IF EXISTS fails_at_commit ON ${table};
         CREATE CONSTRAINT TRIGGER fails_at_commit AFTER INSERT ON ${table}
         DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail_by_chance()`,
      );
    }
    while (!until.aborted) await Bun.sleep(100);
    await untilDone(database, "DROP FUNCTION IF EXISTS fail_by_chance() CASCADE");
  },
});

/** The change of a table that servers write to may itself end in a deadlock. */
const untilDone = (database: Database, sql: string) =>
  retryWhileGone(
    () => database.ask(sql),
    (error) => (error as { code?: string }).code === "40P01" || isGone(error),
  );

const deadlocks = ofDatabase({
  name: "deadlocks",
  what: "another session locks partners' rows in the opposite order, and is never the one that gives in",
  async inflict(database, _, random, until) {
    const session = await database.session();
    await session.query("SET deadlock_timeout = '1min'");
    const { rows } = await session.query("SELECT id FROM partners ORDER BY id DESC");
    while (!until.aborted) {
      await session.query("BEGIN");
      for (const { id } of rows) {
        await session.query("SELECT 1 FROM partner_totals WHERE partner_id = $1 FOR UPDATE", [id]);
        await Bun.sleep(random.below(100));
      }
      await session.query("ROLLBACK");
      await Bun.sleep(random.below(500));
    }
    await session.end();
  },
});

export const DATABASE_FAULTS: readonly Fault[] = [
  restarts("database-restart", "PostgreSQL stopped and started again", "fast"),
  restarts("database-kill", "kill -9 of PostgreSQL, and started again", "crash"),
  failsOver,
  cuts,
  cutsAtCommit,
  losesAtCommit,
  away("database-refuses", "the database refuses connections for 6 s", "refused", 6_000),
  away("database-silent", "nothing comes from the database for 6 s", "silent", 6_000),
  away("database-away", "a minute without the database", "refused", 60_000, true),
  exhausts,
  conflicts,
  deadlocks,
];
