import type { Instant } from "../time.ts";

/** The prefix of each kind of id. */
const ID_PREFIXES = {
  property: "P_",
  unit: "U_",
  appliance: "A_",
  component: "C_",
  serviceEvent: "SE_",
  claim: "CLM_",
  costLine: "CST_",
  sensorEvent: "PE_",
  photo: "PH_",
  embed: "EMB_",
  partner: "PARTNER_",
  administrator: "ADM_",
  lock: "LOCK_",
} as const;
export type IdKind = keyof typeof ID_PREFIXES;

/** Fills the array with random bytes, as `crypto.getRandomValues` does. */
export type FillRandom = (bytes: Uint8Array) => Uint8Array;

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"; // Crockford's base32, lower case
const BODY = /^[0-9a-hjkmnp-tv-z]{26}$/;

/** Returns an id: a prefix and a UUIDv7 (RFC 9562) as 26 characters of base32. Ids sort by `now`. */
export function newId(kind: IdKind, now: Instant, fill: FillRandom): string {
  return ID_PREFIXES[kind] + base32(bytesAt(now, fill));
}

/** The number of instants whose latest id is cached. Partners' rows may be dated ahead of the clock, each differently. */
const CACHED_INSTANTS = 16;

/** Returns a generator of ids as `newId` makes them. Ids of one instant also sort in the order of creation. */
export function increasingIdGenerator(fill: FillRandom): (kind: IdKind, now: Instant) => string {
  const latest = new Map<Instant, Uint8Array>();
  return (kind, now) => {
    const before = latest.get(now);
    const bytes = before ? bytesAfter(before, fill) : withHeadroom(bytesAt(now, fill));
    latest.delete(now);
    latest.set(now, bytes);
    if (latest.size > CACHED_INSTANTS) latest.delete(latest.keys().next().value!);
    return ID_PREFIXES[kind] + base32(bytes);
  };
}

function bytesAt(now: Instant, fill: FillRandom): Uint8Array {
  const bytes = fill(new Uint8Array(16));
  for (let i = 0; i < 6; i++) bytes[i] = Math.floor(now / 2 ** (8 * (5 - i))) % 256;
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes;
}

/** Clears the highest random bit, so that the id can be increased 2^29 times without an overflow. */
function withHeadroom(bytes: Uint8Array): Uint8Array {
  bytes[8] = bytes[8]! & 0b1101_1111;
  return bytes;
}

/** Returns the id increased by a random step of 1 to 2^32 (RFC 9562, section 6.2, method 2). */
function bytesAfter(before: Uint8Array, fill: FillRandom): Uint8Array {
  const bytes = before.slice();
  const step = fill(new Uint8Array(4));
  for (let i = 15, carry = 1; i >= 8; i--) {
    carry += bytes[i]! + (step[i - 12] ?? 0);
    bytes[i] = carry;
    carry >>>= 8;
  }
  return bytes;
}

/**
 * Returns a webhook delivery's id, `WH_<epoch millis>_<5 characters>`. The characters count up from a random start, since a
 * snapshot creates tens of thousands within a millisecond.
 */
export function deliveryIdAt(now: Instant, sequence: number): string {
  let tail = "";
  for (let shift = 20; shift >= 0; shift -= 5) tail += ALPHABET[(sequence >>> shift) & 31];
  return `WH_${now}_${tail}`;
}

/** Returns the creation time of the delivery with that id. */
export const createdAtOfDeliveryId = (deliveryId: string): Instant => Number(deliveryId.split("_")[1]);

/** Returns the lower bound of the ids of deliveries created at that instant or later. */
export function deliveryIdLowerBound(instant: Instant): string {
  // Instants before September 2001 have fewer than 13 digits and would sort wrongly.
  return instant < 1e12 ? "WH_" : `WH_${instant}`;
}

/** Returns whether the text has the form of an id of that kind. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = ID_PREFIXES[kind];
  return text.startsWith(prefix) && BODY.test(text.slice(prefix.length));
}

/** Encodes 128 bits as 26 characters; the first holds the top 3 bits. */
function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 2; // 26 characters hold 130 bits: two leading zeros
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >>> bits) & 31];
      value &= (1 << bits) - 1;
    }
  }
  return text;
}
