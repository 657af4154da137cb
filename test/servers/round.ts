import type { Json } from "../support/json.ts";
import { Caller } from "./caller.ts";
import { CHECKS } from "./checks.ts";
import { type Fault, isGone } from "./faults/fault.ts";
import { readFinalState } from "./final-state.ts";
import { Fleet } from "./fleet.ts";
import { follow, revoke, score, spend, spendTheRest } from "./load/others.ts";
import { own } from "./load/owner.ts";
import { Observations } from "./observations.ts";
import { startReceiver } from "./receiver.ts";
import type { Partner, RoundContext } from "./round-context.ts";
import { SchedulingDelay } from "./scheduling-delay.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { Server } from "./server.ts";
import type { Storage } from "./storage.ts";

export type RoundOptions = {
  seed: number;
  servers: number;
  clients: number;
  /** The duration of clients and faults, in seconds; the recovery after it takes additional time. */
  seconds: number;
  faults: readonly Fault[];
  storage: Storage;
  /** The size of the portfolio of the snapshot; a smaller one is scored, announced and checked sooner. */
  scoredProperties?: number;
};

/** A round that was not set up tested nothing: its partners or servers could not be created. */
export type Outcome = { violations: string[]; summary: string; record: Observations; isSetUp: boolean };

const BUDGET = 400;
/** The time limit of a round beside that duration. */
const SETTLED_WITHIN_MS = 300_000;
const SCORED_PROPERTIES = 300;

/** Runs one round: servers on a new storage, clients on all of them, faults meanwhile, and then the checks. */
export async function runRound(options: RoundOptions): Promise<Outcome> {
  const random = new SeededRandom(options.seed);
  const record = new Observations();
  const receiver = startReceiver(record, random.fork("receiver"));
  const onEnd = (what: string) => record.wrong(`a server ended by itself: ${what}`);
  const fleet = new Fleet(options.servers, options.storage, random.fork("fleet"), onEnd);
  const lag = new SchedulingDelay();
  const giveUp = AbortSignal.timeout(
    options.seconds * 1000 + (options.faults.some(({ isLong }) => isLong) ? 90_000 : 0) + SETTLED_WITHIN_MS,
  );
  let isSetUp = false;
  try {
    const accounts = await setUp(fleet, record, receiver.url, options.scoredProperties ?? SCORED_PROPERTIES);
    const { database } = options.storage;
    const isAway = () => database !== undefined && database.wire.mode !== "through";
    const caller = new Caller(fleet, record, random.fork("caller"), lag, isAway, giveUp);
    const context: RoundContext = { random, fleet, database, caller, record, ...accounts };
    await fleet.start();
    isSetUp = true;
    await live(context, options);
    await settle(context);
    record.kills = fleet.servers.reduce((sum, { kills }) => sum + kills, 0);
    const found = await readFinalState(context);
    const broken = Object.entries(CHECKS).flatMap(([name, check]) =>
      check(record, found).map((fault) => `${name}: ${fault}`),
    );
    return { violations: [...record.seen, ...broken], summary: summarize(record), record, isSetUp };
  } catch (error) {
    const tails = fleet.servers.map((server) => `${server.name}:\n${server.tail()}`);
    return {
      violations: [...record.seen, `${error instanceof Error ? error.message : error}\n${tails.join("\n")}`],
      summary: summarize(record),
      record,
      isSetUp,
    };
  } finally {
    await fleet.end();
    receiver.stop();
    lag.stop();
    await options.storage.end();
  }
}

async function setUp(fleet: Fleet, record: Observations, hook: string, scoredProperties: number) {
  await fleet.init();
  const partner = async (name: string, ...more: string[]): Promise<Partner> =>
    await fleet.run("partner", "create", name, ...more);
  const partners = [];
  for (const name of ["North", "South", "West"]) partners.push(await partner(name, "--webhook-url", hook));
  const scored = await partner("Scored", "--webhook-url", hook);
  const metered = await partner("Metered");
  await fleet.run("partner", "set-budget", metered.partner_id, String(BUDGET));
  record.metered.budget = BUDGET;
  const revoked = await partner("Revoked");
  const numbers = Array.from({ length: scoredProperties }, (_, nth) => nth);
  const properties = numbers.map((nth) => `${nth},Elm ${nth},Elm St,NY`);
  const appliances = numbers.map((nth) => `${nth},water_heater_gas,OLD${nth},1986`);
  await fleet.run(
    ...["import", "--partner", scored.partner_id],
    ...["--properties", fleet.file("p.csv", ["partner_property_id,name,address,state", ...properties])],
    ...[
      "--appliances",
      fleet.file("a.csv", ["partner_property_id,type_id,serial,install_year", ...appliances]),
    ],
  );
  const { admin_key } = await fleet.run("admin", "create", "Night shift");
  return { partners, scored, metered, revoked, administrator: { "x-api-key": admin_key } };
}

/** Runs clients and faults side by side. On return the faults are undone and every client's last write is answered. */
async function live(context: RoundContext, { clients, seconds, faults, seed }: RoundOptions): Promise<void> {
  const { partners, record } = context;
  const over = AbortSignal.timeout(seconds * 1000);
  const allWritten = new AbortController();
  // An error of one is reported as a violation; the others continue.
  const each = (actions: readonly Promise<void>[]) =>
    Promise.all(actions.map((action) => action.catch((error: Error) => record.wrong(error.message))));
  const followed = each(partners.map((partner) => follow(context, partner, allWritten.signal)));
  const owners = Array.from({ length: clients }, (_, nth) =>
    own(context, partners[nth % partners.length]!, nth, over),
  );
  const inflicted = faults.map((fault) => inflict(context, fault, seed, over));
  await each([...owners, spend(context, over), revoke(context, over), score(context, over), ...inflicted]);
  allWritten.abort();
  await followed;
}

/** A fault may take away the database that another needs: the other then starts again while there is time. */
async function inflict(context: RoundContext, fault: Fault, seed: number, over: AbortSignal): Promise<void> {
  for (;;)
    try {
      return await fault.inflict(context, new SeededRandom(seed).fork(fault.name), over);
    } catch (error) {
      if (!isGone(error)) throw error;
      if (over.aborted) return;
      await Bun.sleep(200);
    }
}

/** Waits until every server answers, the snapshot has been taken, and no delivery is pending. */
async function settle(context: RoundContext): Promise<void> {
  const { caller, fleet, administrator: credential } = context;
  await fleet.start();
  for (const server of fleet.servers) await untilHealthy(context, server);
  // A running snapshot may have passed the latest records: the second one includes them.
  for (let nth = 0; nth < 2; nth++) await takeSnapshot(context);
  await untilTrue("nothing waits to be delivered", async () => {
    const path = "/admin/webhook-deliveries?status=pending&limit=1";
    const { body } = await caller.done({ method: "GET", path, credential, admin: true }, 200);
    return body.total === 0;
  });
  await spendTheRest(context);
}

/** Takes the snapshot, repeatedly where it fails; a running one is waited for first. */
async function takeSnapshot({ caller, fleet, administrator: credential }: RoundContext): Promise<void> {
  const run = { method: "POST" as const, path: "/admin/jobs/snapshot/run", credential, admin: true };
  const list = { method: "GET" as const, path: "/admin/jobs", credential, admin: true };
  const stateOn = async (server: Server): Promise<Json | undefined> =>
    (await caller.once(list, server))?.body.jobs?.find((job: Json) => job.name === "snapshot");
  const isQuiet = async () =>
    (await Promise.all(fleet.servers.map(stateOn))).every((state) => state?.running === false);
  await untilTrue("a snapshot is taken", async () => {
    await untilTrue("no snapshot is running", isQuiet);
    const { status, server } = await caller.settled(run);
    if (status !== 202) return false;
    await untilTrue("the snapshot is over", isQuiet);
    return (await stateOn(server))?.error === null;
  });
}

async function untilHealthy({ caller }: RoundContext, server: Server): Promise<void> {
  const request = { method: "GET" as const, path: "/health", credential: {} };
  await untilTrue(
    `${server.name} is healthy again`,
    async () => (await caller.once(request, server))?.status === 200,
  );
}

async function untilTrue(what: string, holds: () => Promise<boolean>, withinMs = 90_000): Promise<void> {
  for (const endAt = performance.now() + withinMs; performance.now() < endAt; ) {
    if (await holds()) return;
    await Bun.sleep(200);
  }
  throw new Error(`within ${withinMs / 1000} s it never came to this: ${what}`);
}

function summarize({ writes, arrivals, answers, slowest, metered, kills }: Observations): string {
  const counts = [...answers].toSorted().map(([status, count]) => `${count} ${status}`);
  const slow = [...slowest].toSorted().map(([status, ms]) => `${status} ${Math.round(ms)} ms`);
  return [
    `${writes.size} writes acknowledged, ${arrivals.length} deliveries received, ${kills} kills`,
    `answers: ${counts.join(", ")}; slowest: ${slow.join(", ")}`,
    `budget: ${metered.accepted} of ${metered.budget}`,
  ].join("\n  ");
}
