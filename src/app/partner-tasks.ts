import { LRUCache } from "lru-cache";
import { acquireLock, partnerLockName } from "../cluster/locks.ts";
import type { Config } from "../config/settings.ts";
import { OperatorError } from "../domain/errors.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { Partner } from "../domain/partner.ts";
import type { PartnerTask } from "../domain/partner-task.ts";
import type { Instant } from "../domain/time.ts";
import { yieldToEventLoop } from "../event-loop.ts";
import type { Logger } from "../log.ts";
import { ACTING_PASS, type ActingPasses } from "../secrets/acting-pass.ts";
import type { Store } from "../store/store.ts";
import { announceState } from "../usecases/deliveries/announce-state.ts";
import type { Administration } from "../usecases/partners/partners.ts";
import { inWords, runOwnCommand } from "./own-command.ts";

/** Whether it has begun; else who does something already, in words, or undefined where it is this server. */
export type Begun = "begun" | { heldBy: string | undefined };

/** What takes longer than an answer may: begun when it is asked for, one at a time for a partner. */
export type PartnerTasks = {
  /** The latest of a partner, since the server's start. */
  state(partnerId: string): PartnerTask | undefined;
  /** Begins it in the name of `by`, this server in words. */
  announce(administration: Administration, partner: Partner, by: string): Promise<Begun>;
  /** The same; `name` is the partner's, as it was confirmed. */
  purge(administration: Administration, partner: Partner, by: string): Promise<Begun>;
  stop(): Promise<void>;
};

const MOST_REMEMBERED = 1000;
const BUSY: { heldBy: undefined } = { heldBy: undefined };

export function partnerTasks(world: {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  clock: () => Instant;
  log: Logger;
  knowledge: Knowledge;
  passes: ActingPasses;
  store: Pick<Store, "read" | "write">;
}): PartnerTasks {
  const { config, env, clock, log, knowledge, passes, store } = world;
  const latest = new LRUCache<string, PartnerTask>({ max: MOST_REMEMBERED });
  const running = new Map<string, Promise<void>>();
  const abort = new AbortController();

  const isBusy = (partnerId: string) => running.has(partnerId) || abort.signal.aborted;
  const start = (partnerId: string, kind: PartnerTask["kind"], run: () => Promise<Counts>): Begun => {
    const begun: PartnerTask = {
      ...{ kind, status: "running", startedAt: clock(), finishedAt: null, error: null, counts: null },
    };
    latest.set(partnerId, begun);
    const ended = (outcome: Pick<PartnerTask, "status"> & Partial<PartnerTask>) =>
      latest.set(partnerId, { ...begun, finishedAt: clock(), ...outcome });
    const work = run()
      .then(
        (counts) => void ended({ status: "done", counts }),
        (error: Error) => {
          ended({ status: "failed", error: inWords(error) });
          if (!abort.signal.aborted) log.error({ err: error, partner_id: partnerId, kind }, "task failed");
        },
      )
      .finally(() => running.delete(partnerId));
    running.set(partnerId, work);
    return "begun";
  };

  /** The turn at the partner; else who does something to it already. */
  const lockOn = async (partnerId: string, by: string) => {
    if (isBusy(partnerId)) return BUSY;
    const lock = await acquireLock(store, partnerLockName(partnerId), by);
    if ("heldBy" in lock || !isBusy(partnerId)) return lock;
    await lock.release();
    return BUSY;
  };

  return {
    state: (partnerId) => latest.get(partnerId),
    async announce(administration, partner, by) {
      const lock = await lockOn(partner.id, by);
      if ("heldBy" in lock) return lock;
      const yieldNow = async () => {
        if (abort.signal.aborted)
          throw new OperatorError("the server was stopped", "Ask for it again: what was queued is sent.");
        await yieldToEventLoop();
      };
      return start(partner.id, "announce", () =>
        announceState({ administration, knowledge, yieldNow, lock }, partner, false).finally(lock.release),
      );
    },
    /** A process of its own, since deleting takes a connection that does nothing else. */
    async purge({ actor, changed }, { id, name }, by) {
      const lock = await lockOn(id, by);
      if ("heldBy" in lock) return lock;
      const settings = config.file === undefined ? [] : ["--config", config.file];
      const args = [
        "partner",
        "purge",
        id,
        `--confirm=${name}`,
        "--data-dir",
        config.storage.dataDir,
        ...settings,
      ];
      return start(id, "purge", async () => {
        const own = { ...env, [ACTING_PASS]: passes.issue(actor, clock()) };
        const deleted = await runOwnCommand({ args, env: own, signal: abort.signal }).finally(lock.release);
        changed(id);
        const { deleted_rows: rows, deleted_files: files } = deleted as Record<string, number>;
        return { rows: rows!, files: files! };
      });
    },
    async stop() {
      abort.abort();
      await Promise.all(running.values());
    },
  };
}

type Counts = Readonly<Record<string, number>>;
