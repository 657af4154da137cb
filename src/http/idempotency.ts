import { conflict } from "../domain/errors.ts";
import type { Partner } from "../domain/partner.ts";
import type { Instant } from "../domain/time.ts";
import { REPLIES_KEPT_MS } from "../store/queries/requests.ts";
import type { Store, Tx } from "../store/store.ts";
import type { Stores } from "../store/stores.ts";
import { stringifyYielding } from "./json-stream.ts";
import type { Reply } from "./operation.ts";
import { invalidParameter } from "./query.ts";

const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** Names one caller's request: what makes a second one the same. */
export type RequestIdentity = { partner: Partner; operation: string; key: string; bodyHash: string };

/** The key that the caller chose, undefined when none; throws invalid_request for one that is not 1 to 255 printable characters. */
export function idempotencyKey(headers: Headers): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  if (!PRINTABLE.test(key))
    throw invalidParameter("Idempotency-Key", "must be 1 to 255 printable characters");
  return key;
}

/**
 * Answers a repeated request with what the first was answered. A reply is stored in the transaction of its write, so
 * there is never one without the other.
 */
export class Idempotency {
  /** Requests under way, so that a second one that overtakes the first is told so. */
  #running = new Set<string>();

  constructor(private readonly store: Store) {}

  /** The reply to give again, or undefined when the request is new. Throws conflict for a key in other use. */
  async replay(identity: RequestIdentity, now: Instant): Promise<Reply | undefined> {
    return await this.#find(this.store.read, identity, now);
  }

  async #find(
    { idempotency }: Pick<Stores, "idempotency">,
    { partner, operation, key, bodyHash }: RequestIdentity,
    now: Instant,
  ): Promise<Reply | undefined> {
    const stored = await idempotency.find(partner.id, operation, key);
    if (!stored || stored.createdAt <= now - REPLIES_KEPT_MS) return undefined;
    if (stored.requestHash !== bodyHash) throw conflict("Idempotency-Key was used with another body");
    return {
      status: stored.statusCode,
      raw: stored.body,
      headers: { "content-type": "application/json", "idempotency-replayed": "true" },
    };
  }

  /** Runs the request unless one of the same key runs already. */
  async run(identity: RequestIdentity, handle: () => Promise<Reply> | Reply): Promise<Reply> {
    const name = `${identity.partner.id} ${identity.operation} ${identity.key}`;
    if (this.#running.has(name)) throw conflict("A request with this Idempotency-Key is still running");
    this.#running.add(name);
    try {
      return await handle();
    } finally {
      this.#running.delete(name);
    }
  }

  /**
   * What is written for a request, and its reply with it; nothing when the same one was written meanwhile by another
   * server, whose reply is given again.
   */
  async once<Body>(
    tx: Tx,
    identity: RequestIdentity,
    write: () => Promise<Reply<Body>>,
  ): Promise<Reply<Body>> {
    // Without another server `run` has seen to it, and a look would only cost time.
    const known = this.store.isShared ? await this.#find(tx, identity, tx.now) : undefined;
    return known ? (known as Reply<Body>) : await this.saveReply(tx, identity, await write());
  }

  /** Keeps a 2xx reply with the write that it answers; returns it as the bytes that are kept. */
  async saveReply<Body>(tx: Tx, identity: RequestIdentity, reply: Reply<Body>): Promise<Reply<Body>> {
    const statusCode = reply.status ?? 200;
    if (statusCode < 200 || statusCode > 299) return reply;
    const body = (await stringifyYielding(reply.body, tx.yieldToEventLoop)).join("");
    const { partner, operation, key, bodyHash } = identity;
    await tx.idempotency.save({
      partnerId: partner.id,
      operation,
      key,
      requestHash: bodyHash,
      statusCode,
      body,
      createdAt: tx.now,
    });
    return { status: statusCode, raw: body, headers: { "content-type": "application/json" } };
  }
}
