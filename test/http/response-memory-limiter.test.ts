import { expect, test } from "bun:test";
import { ResponseMemoryLimiter } from "../../src/http/response-memory-limiter.ts";

test("limits the responses of each partner separately", () => {
  const limiter = new ResponseMemoryLimiter(100);
  limiter.forRead("A").grow(60);
  limiter.forRead("A").grow(40);
  expect(() => limiter.forRead("A").grow(1)).toThrow("Too many large requests or responses");
  limiter.forRead("B").grow(100);
});

test("never rejects the oldest response", () => {
  const limiter = new ResponseMemoryLimiter(100);
  const oldest = limiter.forRead("A");
  oldest.grow(10);
  const second = limiter.forRead("A");
  second.grow(20);
  oldest.grow(1000);
  expect(() => second.grow(1)).toThrow("Too many large requests or responses");
});

test("rejects a write only before it is done", () => {
  const limiter = new ResponseMemoryLimiter(100);
  const [first, second] = [limiter.forWrite("A"), limiter.forWrite("A")];
  first.reserve(60);
  second.reserve(50);
  expect(() => limiter.forWrite("A").reserve(1)).toThrow("Too many large requests or responses");
  expect(() => limiter.forRead("A").grow(1)).toThrow("Too many large requests or responses");
  limiter.forWrite("B").reserve(200);
  second.settle(1000);
  second.settle(10);
  limiter.forWrite("A").reserve(31);
  expect(() => limiter.forWrite("A").reserve(1)).toThrow();
  first.release();
  limiter.forWrite("A").reserve(1);
});

test("releases the memory of sent and rejected responses", () => {
  const limiter = new ResponseMemoryLimiter(100);
  const [first, second, third] = [limiter.forRead("A"), limiter.forRead("A"), limiter.forRead("A")];
  first.grow(60);
  expect(() => second.grow(60)).toThrow();
  second.release();
  third.grow(40);
  first.release();
  first.release();
  third.grow(1000); // the oldest now
  expect(() => limiter.forRead("A").grow(1)).toThrow();
  third.release();
  limiter.forRead("A").grow(1);
});
