import type { Cluster } from "../cluster/cluster.ts";
import type { Config } from "../config/settings.ts";

/** HAProxy takes 6 s to notice, by its defaults: three failed checks, two seconds apart. */
const DEFAULT_DRAIN_S = 8;

/**
 * The time between the request to stop and the end of the listeners. Requests are still served, `/health` reports
 * `draining`, and every response asks the client to close its connection. Load balancers can so choose other servers
 * before this one refuses connections.
 */
export class Drain {
  #hasBegun = false;
  /** Ends the wait; undefined when nothing waits. */
  #endWait: (() => void) | undefined;

  /** Returns true from the request to stop to the end of the process. */
  hasBegun = (): boolean => this.#hasBegun;

  /** Resolves when the time is over, or has been interrupted. */
  async run(seconds: number): Promise<void> {
    this.#hasBegun = true;
    if (seconds === 0) return;
    await new Promise<void>((resolve) => {
      this.#endWait = resolve;
      setTimeout(resolve, seconds * 1000);
    });
    this.#endWait = undefined;
  }

  /** Ends the time. Returns false if there was none left. */
  interrupt(): boolean {
    const isWaiting = this.#endWait !== undefined;
    this.#endWait?.();
    return isWaiting;
  }
}

/** Returns how long this server drains. A server without others does not: a load balancer could only refuse requests. */
export function serverDrainSeconds({ server }: Config, { alive }: Pick<Cluster, "alive">): number {
  if (server.drainS !== "auto") return server.drainS;
  return alive() > 1 ? DEFAULT_DRAIN_S : 0;
}
