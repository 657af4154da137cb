import type { SchemaType } from "../api-schemas/definition/api-schema-type.ts";

/** The fields with the times of calculations, which the tags ignore. Weak tags allow this. */
const TIME_FIELDS = ["assessed_at", "generated_at"];
const TIMESTAMPS = new RegExp(`"(?:${TIME_FIELDS.join("|")})":"[^"]*"`, "g");

/** Returns the ETag of a text (RFC 9110 §8.8.3). */
export function entityTag(body: string): string {
  return `W/"${Bun.hash(body).toString(36)}"`;
}

/** Returns the ETag of a JSON response of a type; without one, it may have times. */
export function entityTagOf(body: string, type: SchemaType<unknown> | null | undefined): string {
  // Looking for them takes seven times as long as hashing the text.
  return entityTag(type && !mayHaveTimes(type) ? body : body.replace(TIMESTAMPS, ""));
}

const withTimes = new WeakMap<SchemaType<unknown>, boolean>();

function mayHaveTimes(type: SchemaType<unknown>): boolean {
  const known = withTimes.get(type) ?? hasTimes(type);
  withTimes.set(type, known);
  return known;
}

function hasTimes({ definition }: SchemaType<unknown>): boolean {
  switch (definition.kind) {
    case "record":
      return Object.entries(definition.fields).some(
        ([name, field]) => TIME_FIELDS.includes(name) || mayHaveTimes(field),
      );
    case "list":
      return mayHaveTimes(definition.item);
    case "map":
      return mayHaveTimes(definition.value);
    case "anyOf":
      return definition.types.some(mayHaveTimes);
    case "value":
      // The fields of such an object are not declared.
      return definition.schema.type === "object";
    default:
      return false;
  }
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
export function matchesEntityTag(ifNoneMatch: string | null, etag: string): boolean {
  return ifNoneMatch?.trim() === "*" || isEntityTagListed(ifNoneMatch, etag);
}

/** Returns whether If-None-Match names the tag, by weak comparison. */
export function isEntityTagListed(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const opaque = etag.slice(2);
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === opaque);
}
