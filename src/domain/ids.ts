import type { Instant } from "./time.ts";

/** The type that an id's prefix stands for. */
const ID_PREFIXES = {
  property: "P_",
  unit: "U_",
  appliance: "A_",
  component: "C_",
  serviceEvent: "SE_",
  claim: "CLM_",
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

/** Makes ids: a prefix and a UUIDv7 (RFC 9562) as 26 characters of base32, so ids sort by the instant given. */
export function newId(kind: IdKind, now: Instant, fill: FillRandom): string {
  return ID_PREFIXES[kind] + base32(bytesAt(now, fill));
}

/** Of how many instants the latest id is remembered: partners' rows may be dated ahead of the clock, each its own way. */
const INSTANTS = 16;

/** Makes ids as `newId` does, of which those of one instant sort as they were made: lists are in the order of ids. */
export function increasingIds(fill: FillRandom): (kind: IdKind, now: Instant) => string {
  const latest = new Map<Instant, Uint8Array>();
  return (kind, now) => {
    const before = latest.get(now);
    const bytes = before ? bytesAfter(before, fill) : withRoom(bytesAt(now, fill));
    latest.delete(now);
    latest.set(now, bytes);
    if (latest.size > INSTANTS) latest.delete(latest.keys().next().value!);
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

/** The bytes with a zero below the variant: what follows grows 2^29 times before that would be gone. */
function withRoom(bytes: Uint8Array): Uint8Array {
  bytes[8] = bytes[8]! & 0b1101_1111;
  return bytes;
}

/** As they are behind the variant, and greater by 1 to 2^32 (RFC 9562, 6.2, method 2). */
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
 * A webhook delivery's id: `WH_<epoch millis>_<5 characters>`. The characters count up from a random start instead of
 * being random each, since a snapshot makes tens of thousands within a millisecond.
 */
export function newDeliveryId(now: Instant, sequence: number): string {
  let tail = "";
  for (let shift = 20; shift >= 0; shift -= 5) tail += ALPHABET[(sequence >>> shift) & 31];
  return `WH_${now}_${tail}`;
}

/** When the delivery of that id was made. */
export const deliveryCreatedAt = (deliveryId: string): Instant => Number(deliveryId.split("_")[1]);

/** The text that the ids of deliveries made at that moment or later are equal to or greater than. */
export function deliveryIdsFrom(instant: Instant): string {
  // Below 13 digits, before September 2001, the text would sort wrongly.
  return instant < 1e12 ? "WH_" : `WH_${instant}`;
}

/** Whether the text has the form of an id of that kind; says nothing of its existence. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = ID_PREFIXES[kind];
  return text.startsWith(prefix) && BODY.test(text.slice(prefix.length));
}

/** 128 bits as 26 characters, the first carrying the top 3 bits. */
function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 2; // 130 bits are written for 128: two leading zeros
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
