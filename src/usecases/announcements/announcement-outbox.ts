import { serializeWebhookEvent, type WebhookMessage } from "../../api-schemas/webhook-payload-schema.ts";
import type { Partner, WebhookEvent } from "../../domain/partner.ts";
import type { PartnerRows, Tx } from "../../store/store.ts";

/** A message to a partner, and the component whose deliveries are kept in order. */
type Announcement = WebhookMessage & { orderKey?: string };

/** Writes announcements to a partner's outbox, in the transaction of the change that they report. */
export class AnnouncementOutbox {
  #wanted: ReadonlySet<string> | "all" | "none" | undefined;

  constructor(
    private readonly tx: Tx,
    private readonly partner: Partner,
    private readonly rows: PartnerRows,
  ) {}

  /** Suppresses all further announcements. */
  suppress(): void {
    this.#wanted = "none";
  }

  /** Returns whether the partner has a webhook endpoint that is subscribed to the event. */
  async isSubscribed(event: WebhookEvent): Promise<boolean> {
    this.#wanted ??= await this.#loadWanted();
    if (typeof this.#wanted === "string") return this.#wanted === "all";
    return this.#wanted.has(event);
  }

  /**
   * Returns the delivery's id, or undefined if the partner is not subscribed. Every attempt sends the text that is
   * written here.
   */
  async add(announcement: Announcement): Promise<string | undefined> {
    return (await this.isSubscribed(announcement.event)) ? await this.addUnfiltered(announcement) : undefined;
  }

  /** Adds the announcement whatever the endpoint is subscribed to. */
  async addUnfiltered({ orderKey, ...message }: Announcement): Promise<string> {
    const id = this.rows.newDeliveryId();
    await this.tx.deliveries.insert({
      id,
      partnerId: this.partner.id,
      event: message.event,
      orderKey: orderKey ?? null,
      requestId: this.tx.requestId,
      body: serializeWebhookEvent(message, this.partner, this.tx.now),
      createdAt: this.tx.now,
    });
    this.tx.outboxChanged(this.partner.id);
    return id;
  }

  async #loadWanted(): Promise<ReadonlySet<string> | "all" | "none"> {
    const endpoint = await this.tx.partners.findEndpoint(this.partner.id);
    if (!endpoint?.url) return "none";
    return endpoint.events ? new Set(endpoint.events) : "all";
  }
}
