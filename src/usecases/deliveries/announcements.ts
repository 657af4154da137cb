import type { Partner, WebhookEvent } from "../../domain/partner.ts";
import type { PartnerRows, Tx } from "../../store/store.ts";
import { eventBody, type WebhookMessage } from "../../wire/webhooks.ts";

/** What a partner is told, and the component whose deliveries keep their order. */
export type Announcement = WebhookMessage & { orderKey?: string };

/** Writes announcements into a partner's outbox, in the transaction of the change that they speak of. */
export class Outbox {
  #wanted: ReadonlySet<string> | "all" | "none" | undefined;

  constructor(
    private readonly tx: Tx,
    private readonly partner: Partner,
    private readonly rows: PartnerRows,
  ) {}

  /** From now on nobody wants anything. */
  silence(): void {
    this.#wanted = "none";
  }

  /** Whether the partner has a receiver that wants the event. Without one nothing is written. */
  async wants(event: WebhookEvent): Promise<boolean> {
    this.#wanted ??= await this.#loadWanted();
    if (typeof this.#wanted === "string") return this.#wanted === "all";
    return this.#wanted.has(event);
  }

  /** Returns the delivery's id, or undefined when nobody is to be told. The text written is what every attempt sends. */
  async add(announcement: Announcement): Promise<string | undefined> {
    return (await this.wants(announcement.event)) ? await this.addUnfiltered(announcement) : undefined;
  }

  /** As `add`, whatever the partner's receiver wants. */
  async addUnfiltered({ orderKey, ...message }: Announcement): Promise<string> {
    const id = this.rows.newDeliveryId();
    await this.tx.deliveries.insert({
      id,
      partnerId: this.partner.id,
      event: message.event,
      orderKey: orderKey ?? null,
      requestId: this.tx.requestId,
      body: eventBody(message, this.partner, this.tx.now),
      createdAt: this.tx.now,
    });
    this.tx.outboxChanged(this.partner.id);
    return id;
  }

  async #loadWanted(): Promise<ReadonlySet<string> | "all" | "none"> {
    const receiver = await this.tx.partners.findReceiver(this.partner.id);
    if (!receiver?.url) return "none";
    return receiver.events ? new Set(receiver.events) : "all";
  }
}
