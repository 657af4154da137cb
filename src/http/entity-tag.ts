/** The times of calculations, which the tags ignore. Weak tags allow this. */
const TIMESTAMPS = /"(?:assessed_at|generated_at)":"[^"]*"/g;

/** Returns the ETag of a JSON response (RFC 9110 §8.8.3). */
export function entityTag(body: string): string {
  return `W/"${Bun.hash(body.replace(TIMESTAMPS, "")).toString(36)}"`;
}

/** Computes the ETag of a text in chunks, which contains no such times. */
export class IncrementalEntityTag {
  #hash = 0n;

  add(chunk: string): void {
    this.#hash = BigInt(Bun.hash(chunk, this.#hash));
  }

  get tag(): string {
    return `W/"${this.#hash.toString(36)}"`;
  }
}

/** Returns whether If-None-Match matches a response with this tag: it names the tag, or is `*`. */
export function matchesTag(ifNoneMatch: string | null, etag: string): boolean {
  return ifNoneMatch?.trim() === "*" || namesTag(ifNoneMatch, etag);
}

/** Returns whether If-None-Match names the tag, by weak comparison. */
export function namesTag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const opaque = etag.slice(2);
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === opaque);
}
