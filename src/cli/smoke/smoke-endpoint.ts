import { startCommandWebhookReceiver } from "../command-webhook-receiver.ts";
import { SmokeFailure } from "./smoke-failure.ts";

/** The partner's webhook endpoint in the smoke test. */
export class SmokeEndpoint {
  /** The partner's webhook secret; set when the partner has been created. */
  secret = "";
  #unverified: string[] = [];
  #critical = Promise.withResolvers<void>();
  #receiver = startCommandWebhookReceiver(
    () => this.secret,
    ({ event, verified }) => {
      if (!verified) this.#unverified.push(event);
      if (event === "component.critical") this.#critical.resolve();
    },
  );

  readonly url = this.#receiver.url;

  /** Resolves when a component.critical event has arrived. Throws if any signature was wrong. */
  async criticalAlert(): Promise<void> {
    await this.#critical.promise;
    const [event] = this.#unverified;
    if (event !== undefined) throw new SmokeFailure(`a valid signature on ${event}`, "it does not verify");
  }

  stop = () => this.#receiver.stop();
}
