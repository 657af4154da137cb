/** When figures were worked out says nothing of what they are: a weak tag names the rest. */
const MOMENTS = /"(?:assessed_at|generated_at)":"[^"]*"/g;

/** The ETag of a JSON answer (RFC 9110 §8.8.3). */
export function entityTag(body: string): string {
  return `W/"${Bun.hash(body.replace(MOMENTS, "")).toString(36)}"`;
}

/** That of a long text without such moments, which is made in pieces. */
export class EntityTagOfPieces {
  #hash = 0n;

  add(piece: string): void {
    this.#hash = BigInt(Bun.hash(piece, this.#hash));
  }

  get tag(): string {
    return `W/"${this.#hash.toString(36)}"`;
  }
}

/** Whether If-None-Match names the tag, compared weakly as for reads. */
export function isHeld(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const opaque = etag.slice(2);
  return ifNoneMatch
    .split(",")
    .some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === opaque);
}
