import { expect, test } from "bun:test";
import { HeldAnswers } from "../../src/http/held-answers.ts";

test("a partner's answers hold so much together, and no other partner's", () => {
  const held = new HeldAnswers(100);
  held.open("A").hold(60);
  held.open("A").hold(40);
  expect(() => held.open("A").hold(1)).toThrow("Too many large responses");
  held.open("B").hold(100);
});

test("the oldest goes on, however large it grows", () => {
  const held = new HeldAnswers(100);
  const oldest = held.open("A");
  oldest.hold(10);
  const second = held.open("A");
  second.hold(20);
  oldest.hold(1000);
  expect(() => second.hold(1)).toThrow("Too many large responses");
});

test("a write is refused before it is done, and never afterwards", () => {
  const held = new HeldAnswers(100);
  const [first, second] = [held.openForWrite("A"), held.openForWrite("A")];
  first.reserve(60);
  second.reserve(50);
  expect(() => held.openForWrite("A").reserve(1)).toThrow("Too many large responses");
  expect(() => held.open("A").hold(1)).toThrow("Too many large responses");
  held.openForWrite("B").reserve(200);
  second.settle(1000);
  second.settle(10);
  held.openForWrite("A").reserve(31);
  expect(() => held.openForWrite("A").reserve(1)).toThrow();
  first.release();
  held.openForWrite("A").reserve(1);
});

test("what was sent, or refused, makes room", () => {
  const held = new HeldAnswers(100);
  const [first, second, third] = [held.open("A"), held.open("A"), held.open("A")];
  first.hold(60);
  expect(() => second.hold(60)).toThrow();
  second.release();
  third.hold(40);
  first.release();
  first.release();
  third.hold(1000); // the oldest now
  expect(() => held.open("A").hold(1)).toThrow();
  third.release();
  held.open("A").hold(1);
});
