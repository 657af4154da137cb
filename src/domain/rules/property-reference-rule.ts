import { normalizedPostalStreet } from "../places/postal-address.ts";

/** The longest reference that is made of an address; a longer one ends with a number that tells it from others. */
const LONGEST_REFERENCE = 100;

type PartOfAddress = {
  address: string;
  city?: string | undefined;
  state?: string | undefined;
  zip?: string | undefined;
};

/**
 * Returns the reference of a property that has no ID of its own: its address as far as it is known.
 * @example
 * propertyReferenceByRule({ address: "100 Main Street", city: "Peoria", state: "IL" }) // "100 main st, peoria, IL"
 */
export function propertyReferenceByRule({ address, city, state, zip }: PartOfAddress): string {
  const whole = [
    normalizedPostalStreet(address),
    city?.trim().toLowerCase() ?? zip?.trim().slice(0, 5),
    state,
  ]
    .filter(Boolean)
    .join(", ");
  const characters = [...whole];
  if (characters.length <= LONGEST_REFERENCE) return whole;
  let number = 0n;
  for (const character of characters)
    number = BigInt.asUintN(64, number * 1_099_511_628_211n + BigInt(character.codePointAt(0)!));
  const ending = ` ${number.toString(36)}`;
  return characters.slice(0, LONGEST_REFERENCE - ending.length).join("") + ending;
}
