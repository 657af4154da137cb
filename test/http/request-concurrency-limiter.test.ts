import { expect, test } from "bun:test";
import { HttpFailure } from "../../src/http/http-errors.ts";
import { RequestConcurrencyLimiter } from "../../src/http/request-concurrency-limiter.ts";

/** Calls with a limiter of 2 at a time and 3 waiting; each ends when its `end` is called. */
function calls() {
  const limiter = new RequestConcurrencyLimiter(2, 3);
  const started: string[] = [];
  const call = (name: string, key = "a") => {
    const abort = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    const result = limiter.run(key, abort.signal, async () => {
      started.push(name);
      await promise;
      return name;
    });
    // Each test awaits the rejections that it expects.
    result.catch(() => {});
    return { abort, end: resolve, result };
  };
  return { started, call };
}

test("two calls of a key run at a time, and the others in order", async () => {
  const { started, call } = calls();
  const [one, two, three, four] = [call("1"), call("2"), call("3"), call("4")];
  await Bun.sleep(0);
  expect(started).toEqual(["1", "2"]);
  two.end();
  expect(await two.result).toBe("2");
  await Bun.sleep(0);
  expect(started).toEqual(["1", "2", "3"]);
  for (const { end } of [one, three, four]) end();
  await Promise.all([one.result, three.result, four.result]);
  expect(started).toEqual(["1", "2", "3", "4"]);
});

test("a call beyond those that may wait is a 429 with Retry-After, and another key is not affected", async () => {
  const { started, call } = calls();
  const accepted = ["1", "2", "3", "4", "5"].map((name) => call(name));
  const failure = await call("6").result.catch((error) => error);
  expect(failure).toBeInstanceOf(HttpFailure);
  expect(failure.code).toBe("rate_limited");
  expect(Number(failure.headers["retry-after"])).toBeGreaterThan(0);
  call("other", "b");
  await Bun.sleep(0);
  expect(started).toEqual(["1", "2", "other"]);
  for (const { end } of accepted) end();
  await Promise.all(accepted.map(({ result }) => result));
});

test("a waiting call whose caller has gone never runs, and leaves its place", async () => {
  const { started, call } = calls();
  const accepted = ["1", "2", "3", "4", "5"].map((name) => call(name));
  accepted[2]!.abort.abort();
  expect((await accepted[2]!.result.catch((error) => error)).name).toBe("AbortError");
  const last = call("6");
  for (const { end } of [...accepted, last]) end();
  expect(await last.result).toBe("6");
  expect(started).toEqual(["1", "2", "4", "5", "6"]);
});

test("a failed call makes room for the next", async () => {
  const limiter = new RequestConcurrencyLimiter(1, 1);
  const { signal } = new AbortController();
  const failed = limiter.run("a", signal, () => Promise.reject(new Error("failed")));
  const next = limiter.run("a", signal, async () => "next");
  expect(await failed.catch((error) => error.message)).toBe("failed");
  expect(await next).toBe("next");
});
