import { LRUCache } from "lru-cache";
import { acquireClusterLock, clusterPartnerLockName } from "../../cluster/cluster-locks.ts";
import type { Config } from "../../config/settings.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { OperatorError } from "../../domain/errors.ts";
import type { Partner } from "../../domain/partner.ts";
import type { PartnerTask } from "../../domain/partner-task.ts";
import type { Instant } from "../../domain/time.ts";
import { yieldToEventLoop } from "../../event-loop/event-loop.ts";
import type { Logger } from "../../logging/logger.ts";
import { IMPERSONATION_TOKEN_VARIABLE, type ImpersonationTokens } from "../../secrets/impersonation-token.ts";
import type { Store } from "../../store/store.ts";
import { announceCurrentTiers } from "../../usecases/announcements/announce-current-tiers.ts";
import type { AdminUseCaseDeps } from "../../usecases/partners/create-partner-and-credentials.ts";
import { runServerChildProcess, serverChildFailureText } from "../server-child-process.ts";

/** `heldBy` describes the holder; undefined if this server is already running a task for the partner. */
type Begun = "begun" | { heldBy: string | undefined };

/** Long-running operations on partners: started on request, one at a time for each partner. */
export type PartnerTasks = {
  /** Returns a partner's latest task since the server's start. */
  state(partnerId: string): PartnerTask | undefined;
  /** Starts announcing the current state; `by` describes this server. */
  announce(administration: AdminUseCaseDeps, partner: Partner, by: string): Promise<Begun>;
  /** Starts a purge; `name` is the partner's name as confirmed by the caller. */
  purge(administration: AdminUseCaseDeps, partner: Partner, by: string): Promise<Begun>;
  stop(): Promise<void>;
};

const MOST_REMEMBERED = 1000;
const BUSY: { heldBy: undefined } = { heldBy: undefined };

/**
 * Creates what runs administrators' long tasks on partners, one at a time for each, and remembers the latest of each
 * partner.
 */
export function composePartnerTasks(deps: {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  clock: () => Instant;
  /** The machine's own clock. */
  machineClock: () => Instant;
  log: Logger;
  knowledge: Knowledge;
  passes: ImpersonationTokens;
  store: Pick<Store, "read" | "write">;
}): PartnerTasks {
  const { config, env, clock, machineClock, log, knowledge, passes, store } = deps;
  const latest = new LRUCache<string, PartnerTask>({ max: MOST_REMEMBERED });
  const running = new Map<string, Promise<void>>();
  const abort = new AbortController();

  const isBusy = (partnerId: string) => running.has(partnerId) || abort.signal.aborted;
  const start = (partnerId: string, kind: PartnerTask["kind"], run: () => Promise<Counts>): Begun => {
    const begun: PartnerTask = {
      kind,
      status: "running",
      startedAt: clock(),
      finishedAt: null,
      error: null,
      counts: null,
    };
    latest.set(partnerId, begun);
    const ended = (outcome: Pick<PartnerTask, "status"> & Partial<PartnerTask>) =>
      latest.set(partnerId, { ...begun, finishedAt: clock(), ...outcome });
    const work = run()
      .then(
        (counts) => void ended({ status: "done", counts }),
        (error: Error) => {
          ended({ status: "failed", error: serverChildFailureText(error) });
          if (!abort.signal.aborted) log.error({ err: error, partner_id: partnerId, kind }, "task failed");
        },
      )
      .finally(() => running.delete(partnerId));
    running.set(partnerId, work);
    return "begun";
  };

  /** Acquires the lock on the partner; returns a description of its holder if another has it. */
  const lockOn = async (partnerId: string, by: string) => {
    if (isBusy(partnerId)) return BUSY;
    const lock = await acquireClusterLock(store, clusterPartnerLockName(partnerId), by);
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
          throw new OperatorError("the server was stopped", "Run it again: what was queued is sent.");
        await yieldToEventLoop();
      };
      return start(partner.id, "announce", () =>
        announceCurrentTiers({ administration, knowledge, yieldNow, lock }, partner, false).finally(
          lock.release,
        ),
      );
    },
    /** Runs as a child process, since deleting needs a database connection that does nothing else. */
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
        const own = { ...env, [IMPERSONATION_TOKEN_VARIABLE]: passes.issue(actor, machineClock()) };
        const deleted = await runServerChildProcess({ args, env: own, signal: abort.signal }).finally(
          lock.release,
        );
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
