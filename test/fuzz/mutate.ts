import { SeededRandom } from "../servers/seeded-random.ts";

const INTERESTING = [
  "\0",
  "\xff",
  "\xc3",
  "\xed\xa0\x80",
  "\r\n",
  '"',
  "'",
  "\\",
  "%",
  "=",
  "__proto__",
  "constructor",
];
const NUMBERS = ["0", "-1", "1e999", "9".repeat(25), "NaN", "2147483648", "-0", "1.5"];
const MOST_CHANGES = 4;
const LONGEST = 16_384;

/** Returns an input derived from the others; the seed determines the changes. */
export function mutated(from: readonly Buffer[], words: readonly string[], seed: number): Buffer {
  const random = new SeededRandom(seed);
  let input = random.pick(from);
  for (let changes = random.between(1, MOST_CHANGES); changes > 0; changes--)
    input = changed(input, random.pick(from), words, random);
  return input.subarray(0, LONGEST);
}

function changed(input: Buffer, other: Buffer, words: readonly string[], random: SeededRandom): Buffer {
  const at = random.below(input.length + 1);
  const end = Math.min(input.length, at + random.between(1, 1 << random.between(0, 6)));
  const replaced = (by: Buffer, until = at) =>
    Buffer.concat([input.subarray(0, at), by, input.subarray(until)]);
  const text = (value: string) => Buffer.from(value, "latin1");
  const kinds = [
    () => replaced(Buffer.of(random.below(256)), Math.min(input.length, at + 1)),
    () => replaced(Buffer.alloc(0), end),
    () => replaced(input.subarray(at, end)),
    () =>
      replaced(Buffer.concat(Array.from({ length: random.between(2, 200) }, () => input.subarray(at, end)))),
    () => replaced(other.subarray(random.below(other.length + 1))),
    () => replaced(text(random.pick(INTERESTING))),
    () => replaced(Buffer.from(words.length > 0 ? random.pick(words) : random.pick(INTERESTING))),
    () => withNumber(input, random),
    () => input.subarray(0, at),
  ];
  return random.pick(kinds)();
}

function withNumber(input: Buffer, random: SeededRandom): Buffer {
  const text = input.toString("latin1");
  const numbers = [...text.matchAll(/\d+/g)];
  if (numbers.length === 0) return input;
  const { index, 0: digits } = random.pick(numbers);
  return Buffer.from(
    text.slice(0, index) + random.pick(NUMBERS) + text.slice(index + digits.length),
    "latin1",
  );
}
