import { afterAll, describe, expect, test } from "bun:test";
import { invalid } from "../../src/domain/errors.ts";
import { attempt } from "./attempt.ts";
import { corpusOf } from "./corpus.ts";
import { mutated } from "./mutate.ts";
import { scalingFault } from "./scaling.ts";
import type { Target } from "./target.ts";
import { endTargets, TARGETS } from "./targets/targets.ts";

/*
 * A part of `bun run fuzz`: the kept inputs, and the same few mutated ones every time.
 */

afterAll(endTargets);

/** Mutated inputs of each parser; fewer for those that open files, connections or a database. */
const INPUTS: Readonly<Record<string, number>> = {
  import: 5,
  "mapped-import": 5,
  "imported-rows": 5,
  "cost-book": 30,
  workbook: 60,
  endpoint: 30,
  backup: 30,
  "forged-backup": 30,
  knowledge: 30,
};
const USUAL_INPUTS = 150;

describe.each(TARGETS.map((target) => [target.name, target] as const))("%s", (name, target) => {
  test("accepts or refuses any input, and soon", async () => {
    const seeds = Array.from({ length: INPUTS[name] ?? USUAL_INPUTS }, (_, nth) => nth);
    const kept = corpusOf(name);
    const inputs = [
      ...target.seeds,
      ...kept,
      ...seeds.map((seed) => mutated([...target.seeds, ...kept], target.words, seed)),
    ];
    const outcomes = new Set<string>();
    for (const input of inputs) {
      const { outcome, finding } = await attempt(target, input);
      expect(finding, `${outcome}, for ${JSON.stringify(input.toString("latin1"))}`).toBeUndefined();
      outcomes.add(outcome.split(/[ :]/, 1)[0]!);
    }
    // Valid inputs are accepted, and others refused: the parser was reached.
    expect(outcomes).toContain("accepted");
  });

  test("takes time proportional to the input", async () => {
    expect(await scalingFault(target, target.seeds[0]!)).toBeUndefined();
  });
});

describe("the judgment", () => {
  const parser = (parse: Target["parse"]): Target => ({ name: "x", seeds: [], words: [], parse });
  const fails = (error: unknown) =>
    parser(() => {
      throw error;
    });
  const findingOf = async (target: Target) => (await attempt(target, Buffer.from("a"))).finding;

  test("accepts an answer and a refusal with a message", async () => {
    expect(await findingOf(parser(() => 1))).toBeUndefined();
    expect(await findingOf(fails(invalid("name is required")))).toBeUndefined();
  });

  test("finds a fault, a refusal without a message, and a long computation", async () => {
    expect(await findingOf(fails(new TypeError("x is undefined")))).toContain("x is undefined");
    expect(await findingOf(fails(invalid(" ")))).toContain("no message");
    const busy = parser(() => Bun.hash(Buffer.alloc(100_000_000)) && "hashed");
    expect((await attempt(busy, Buffer.from("a"), 1)).finding).toContain("processor time");
  });

  test("finds time that grows with the square of the input", async () => {
    let sum = 0;
    const square = parser((input) => {
      for (let i = 0; i < input.length; i += 8) for (let j = 0; j < input.length; j += 8) sum += input[j]!;
    });
    // Compiled before it is measured: a slow first run of the small input would hide the growth.
    for (let run = 0; run < 5; run++) square.parse(Buffer.alloc(32_768));
    expect(await scalingFault(square, Buffer.from("abcdefgh"))).toContain("times as many");
    expect(sum).toBeGreaterThan(0);
  });

  test("has the same input for the same seed", () => {
    const from = TARGETS.flatMap(({ seeds }) => seeds);
    expect(mutated(from, [], 7)).toEqual(mutated(from, [], 7));
    expect(mutated(from, [], 7)).not.toEqual(mutated(from, [], 8));
  });
});
