import { expect, test } from "bun:test";
import { inTurn, partnerTurn, type Turn, takeTurn, whoHas } from "../../src/usecases/turns.ts";
import { usePartnerStore } from "../support/partner-store.ts";

const open = usePartnerStore();
const NAME = partnerTurn("P");
const SINCE = ", since 2026-03-10T12:00:00.000Z";

/** A store, and the same as another process has it. */
async function twoProcesses() {
  const world = await open(Date.parse("2026-03-10T12:00:00Z"));
  return { one: world.store, other: await world.open() };
}
const held = (turn: Turn | { heldBy: string }) => ("heldBy" in turn ? turn.heldBy : undefined);

test("a turn is one process's at a time, whoever asks at once, and the others are told whose", async () => {
  const { one, other } = await twoProcesses();
  const turns = await Promise.all([takeTurn(one, NAME, "the first"), takeTurn(other, NAME, "the second")]);
  const [loser, winner] = held(turns[0]!) === undefined ? [1, 0] : [0, 1];
  const name = ["the first", "the second"][winner]!;
  expect(held(turns[loser]!)).toBe(name + SINCE);
  expect(held(turns[winner]!)).toBeUndefined();
  expect(await whoHas(other, NAME)).toBe(name + SINCE);
  await (turns[winner] as Turn).end();
  expect(await whoHas(other, NAME)).toBeUndefined();
  const next = await takeTurn(other, NAME, "the next");
  expect(held(next)).toBeUndefined();
  await (next as Turn).end();
});

test("what is done in a turn is refused to others, and ends the turn also where it fails", async () => {
  const { one, other } = await twoProcesses();
  const turn = (by: string) => ({ name: "partner:P", by, what: "it is told" });
  const failed = inTurn(one, turn("one"), async () => {
    const refused = inTurn(other, turn("other"), async () => "done");
    await expect(refused).rejects.toThrow(`it is told already, by one${SINCE}`);
    throw new Error("cut short");
  });
  await expect(failed).rejects.toThrow("cut short");
  expect(await inTurn(other, turn("other"), async () => "done")).toBe("done");
});

test("a step of who has lost the turn is refused", async () => {
  const { one, other } = await twoProcesses();
  const turn = (await takeTurn(one, NAME, "who was paused")) as Turn;
  await one.write((tx) => turn.keep(tx));
  // As after a pause for longer than a turn lasts.
  await other.write(async (tx) => {
    const holder = (await tx.servers.holderOf(NAME))!;
    await tx.servers.drop(holder, NAME);
    await tx.servers.take("A_1 who goes on", [NAME], 60_000);
  });
  const step = one.write((tx) => turn.keep(tx));
  await expect(step).rejects.toThrow("another process may be doing the same");
  await turn.end();
  expect(await whoHas(other, NAME)).toBe("who goes on");
});

test("whose turn it is can be told while that one stands still in the midst of a step", async () => {
  const { one, other } = await twoProcesses();
  const turn = (await takeTurn(one, NAME, "who stands still")) as Turn;
  const refused = await one.write(async (tx) => {
    await turn.keep(tx);
    return await takeTurn(other, NAME, "who must not wait");
  });
  expect(held(refused)).toBe(`who stands still${SINCE}`);
  await turn.end();
});
