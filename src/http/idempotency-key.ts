import { conflict } from "../domain/errors.ts";
import type { Partner } from "../domain/partner.ts";
import type { Instant } from "../domain/time.ts";
import { REPLIES_KEPT_MS } from "../store/queries/idempotent-replies-queries.ts";
import type { Store, Tx } from "../store/store.ts";
import type { Stores } from "../store/stores.ts";
import type { PartnerCall, Reply } from "./http-operation.ts";
import { invalidHttpParameterFailure } from "./http-query-parameters.ts";
import { stringifyReplyYielding } from "./json-reply-stream.ts";

const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** Identifies a request: a second request with the same values is a repetition. */
export type RequestIdentity = { partner: Partner; operation: string; key: string; bodyHash: string };

/** Returns the Idempotency-Key, or undefined. Throws invalid_request unless it is 1 to 255 printable characters. */
export function idempotencyKey(headers: Headers): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  if (!PRINTABLE.test(key))
    throw invalidHttpParameterFailure("Idempotency-Key", "must be 1 to 255 printable characters");
  return key;
}

/** Runs an operation whose request has no Idempotency-Key, or whose `writePortfolio` stores the reply. */
export const runWithoutIdempotencyKey: PartnerCall["runOnce"] = (_content, run) =>
  run((_tx, write) => write());

/** Replays the reply to a repeated request. A reply is stored in the transaction of its write, so neither exists alone. */
export class Idempotency {
  /** The requests in progress: a concurrent repetition is rejected. */
  #running = new Set<string>();

  constructor(private readonly store: Store) {}

  /** Returns the stored reply; undefined for a new request. Throws conflict if the key was used with another body. */
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

  /** Runs the request. Throws conflict if another one with the same key is in progress on this server. */
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

  /** Returns the stored reply, or else runs the request. Throws as both do. */
  async replayOrRun<Body>(
    identity: RequestIdentity,
    now: Instant,
    handle: () => Promise<Reply<Body>>,
  ): Promise<Reply<Body>> {
    const reply = await this.run(identity, async () => (await this.replay(identity, now)) ?? handle());
    return reply as Reply<Body>;
  }

  /** Writes the request and its reply, unless another server did so in the meantime; returns the stored reply. */
  async once<Body>(
    tx: Tx,
    identity: RequestIdentity,
    write: () => Promise<Reply<Body>>,
  ): Promise<Reply<Body>> {
    // On a single server, `run` and `replay` have already ruled this out.
    const stored = this.store.isShared ? await this.#find(tx, identity, tx.now) : undefined;
    return stored ? (stored as Reply<Body>) : await this.saveReply(tx, identity, await write());
  }

  /** Stores a successful reply in the transaction of its write; returns it as the stored bytes. */
  async saveReply<Body>(tx: Tx, identity: RequestIdentity, reply: Reply<Body>): Promise<Reply<Body>> {
    const statusCode = reply.status ?? 200;
    if (statusCode < 200 || statusCode > 299) return reply;
    const body = (await stringifyReplyYielding(reply.body, tx.yieldToEventLoop)).join("");
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
