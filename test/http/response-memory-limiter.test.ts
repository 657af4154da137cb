import { expect, test } from "bun:test";
import { ResponseMemoryLimiter } from "../../src/http/response-memory-limiter.ts";

test("a partner's answers hold so much together, and no other partner's", () => {
  const held = new ResponseMemoryLimiter(100);
  held.forRead("A").grow(60);
  held.forRead("A").grow(40);
  expect(() => held.forRead("A").grow(1)).toThrow("Too many large responses");
  held.forRead("B").grow(100);
});

test("the oldest goes on, however large it grows", () => {
  const held = new ResponseMemoryLimiter(100);
  const oldest = held.forRead("A");
  oldest.grow(10);
  const second = held.forRead("A");
  second.grow(20);
  oldest.grow(1000);
  expect(() => second.grow(1)).toThrow("Too many large responses");
});

test("a write is refused before it is done, and never afterwards", () => {
  const held = new ResponseMemoryLimiter(100);
  const [first, second] = [held.forWrite("A"), held.forWrite("A")];
  first.reserve(60);
  second.reserve(50);
  expect(() => held.forWrite("A").reserve(1)).toThrow("Too many large responses");
  expect(() => held.forRead("A").grow(1)).toThrow("Too many large responses");
  held.forWrite("B").reserve(200);
  second.settle(1000);
  second.settle(10);
  held.forWrite("A").reserve(31);
  expect(() => held.forWrite("A").reserve(1)).toThrow();
  first.release();
  held.forWrite("A").reserve(1);
});

test("what was sent, or refused, makes room", () => {
  const held = new ResponseMemoryLimiter(100);
  const [first, second, third] = [held.forRead("A"), held.forRead("A"), held.forRead("A")];
  first.grow(60);
  expect(() => second.grow(60)).toThrow();
  second.release();
  third.grow(40);
  first.release();
  first.release();
  third.grow(1000); // the oldest now
  expect(() => held.forRead("A").grow(1)).toThrow();
  third.release();
  held.forRead("A").grow(1);
});
