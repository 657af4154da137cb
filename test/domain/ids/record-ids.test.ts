import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  createdAtOfDeliveryId,
  deliveryIdAt,
  deliveryIdLowerBound,
  increasingIdGenerator,
  isId,
  newId,
} from "../../../src/domain/ids/record-ids.ts";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const instants = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const randoms = fc.uint8Array({ minLength: 16, maxLength: 16 });
const made = (now: number, random: Uint8Array) =>
  newId("property", now, (bytes) => {
    bytes.set(random);
    return bytes;
  });

/** Decodes the characters to 16 bytes. */
function bytesOf(id: string): number[] {
  let value = 0n;
  for (const character of id.slice(2)) value = value * 32n + BigInt(ALPHABET.indexOf(character));
  return Array.from({ length: 16 }, (_, nth) => Number((value >> BigInt(8 * (15 - nth))) & 255n));
}

describe("an id", () => {
  // Rule: ids
  test("is a UUIDv7 in base32: the instant, the version, the variant and random bits", () => {
    fc.assert(
      fc.property(instants, randoms, (now, random) => {
        const bytes = bytesOf(made(now, random));
        expect(bytes.slice(0, 6).reduce((sum, byte) => sum * 256 + byte, 0)).toBe(now);
        expect(bytes[6]).toBe(0x70 + (random[6]! % 16));
        expect(bytes[8]).toBe(0x80 + (random[8]! % 64));
        for (const nth of [7, 9, 10, 11, 12, 13, 14, 15]) expect(bytes[nth]).toBe(random[nth]!);
      }),
    );
  });

  test("sorts after any of an earlier instant", () => {
    fc.assert(
      fc.property(instants, instants, randoms, randoms, (a, b, one, other) => {
        if (a !== b) expect(made(a, one) < made(b, other)).toBe(a < b);
      }),
    );
  });

  test("sorts after those made before it at the same instant, for any random bits", () => {
    const chances = fc.oneof(fc.constantFrom(0, 255), fc.nat(255));
    const moments = fc.array(fc.tuple(fc.constantFrom(1_760_000_000_000, 1_760_000_000_001), chances));
    fc.assert(
      fc.property(moments, (made) => {
        let chance = 0;
        const idAt = increasingIdGenerator((bytes) => bytes.fill(chance));
        const ids = new Map<number, string[]>();
        for (const [now, given] of made) {
          chance = given;
          const id = idAt("claim", now);
          const bytes = bytesOf(id.replace("CLM_", "P_"));
          expect(bytes.slice(0, 6).reduce((sum, byte) => sum * 256 + byte, 0)).toBe(now);
          expect([bytes[6]! >> 4, bytes[8]! >> 6]).toEqual([7, 2]);
          expect(isId("claim", id)).toBe(true);
          ids.set(now, [...(ids.get(now) ?? []), id]);
        }
        for (const ofOneKind of ids.values()) {
          expect(ofOneKind.toSorted()).toEqual(ofOneKind);
          expect(new Set(ofOneKind).size).toBe(ofOneKind.length);
        }
      }),
    );
  });

  test("is recognized by its form and kind", () => {
    const id = made(1_760_000_000_000, new Uint8Array(16).fill(255));
    expect(isId("property", id)).toBe(true);
    expect(isId("partner", id)).toBe(false);
    for (const wrong of [`${id}0`, id.slice(0, -1), id.toUpperCase(), `${id.slice(0, -1)}u`, ` ${id}`])
      expect(isId("property", wrong)).toBe(false);
  });
});

describe("a delivery's id", () => {
  // Rule: delivery-ids
  test("contains its creation time, and those of one instant sort in order", () => {
    const ids = [0, 1, 31, 32, 1_023, 1_024, 33_554_431].map((nth) => deliveryIdAt(1_760_000_000_000, nth));
    for (const id of ids) {
      expect(id).toMatch(/^WH_1760000000000_[0-9a-hjkmnp-tv-z]{5}$/);
      expect(createdAtOfDeliveryId(id)).toBe(1_760_000_000_000);
    }
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("is at or after the bound of an instant exactly if it was created then or later", () => {
    const moments = fc.integer({ min: 1e12, max: 4e12 });
    const bounds = fc.oneof(moments, fc.integer({ min: -1, max: 1e12 }));
    fc.assert(
      fc.property(moments, bounds, fc.nat(33_554_431), (at, since, nth) => {
        expect(deliveryIdAt(at, nth) >= deliveryIdLowerBound(since)).toBe(at >= since);
        expect(deliveryIdAt(at, nth) >= deliveryIdLowerBound(at)).toBe(true);
        expect(deliveryIdAt(at, nth) < deliveryIdLowerBound(at + 1)).toBe(true);
      }),
    );
  });
});
