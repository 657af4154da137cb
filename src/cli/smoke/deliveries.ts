import { startLocalReceiver } from "../local-receiver.ts";
import { Unexpected } from "./unexpected.ts";

/** What the partner's receiver gets. */
export class Deliveries {
  /** The partner's webhook secret, once it is known. */
  secret = "";
  #unverified: string[] = [];
  #critical = Promise.withResolvers<void>();
  #receiver = startLocalReceiver(
    () => this.secret,
    ({ event, verified }) => {
      if (!verified) this.#unverified.push(event);
      if (event === "component.critical") this.#critical.resolve();
    },
  );

  readonly url = this.#receiver.url;

  /** Resolves when a critical component has been announced; throws when any signature was wrong. */
  async announced(): Promise<void> {
    await this.#critical.promise;
    const [event] = this.#unverified;
    if (event !== undefined) throw new Unexpected(`a good signature on ${event}`, "it does not verify");
  }

  stop = () => this.#receiver.stop();
}
