import { describe, expect, test } from "bun:test";
import { PartnerQueue } from "../../src/webhooks/webhook-partner-queue.ts";

const delivery = (id: string, orderKey: string | null = null) => ({ id, orderKey });

describe("a partner's queue", () => {
  test("returns each delivery once, oldest first", () => {
    const queue = new PartnerQueue();
    const page = [delivery("a"), delivery("b")];
    queue.add(page);
    queue.add(page);
    expect([queue.take(), queue.take(), queue.take()]).toEqual([page[0], page[1], undefined]);
    expect(queue.ids.size).toBe(2);
  });

  test("returns the next delivery of a key once the previous one is settled", () => {
    const queue = new PartnerQueue();
    const [first, second, other] = [delivery("a", "C_1"), delivery("b", "C_1"), delivery("c", "C_2")];
    queue.add([first, second, other]);
    expect([queue.take(), queue.take(), queue.take()]).toEqual([first, other, undefined]);
    queue.settle(first);
    expect(queue.take()).toEqual(second);
  });

  test("removes all deliveries of a key when one of them is released", () => {
    const queue = new PartnerQueue();
    const [first, second, other] = [delivery("a", "C_1"), delivery("b", "C_1"), delivery("c", "C_2")];
    queue.add([first, second, other]);
    queue.release(queue.take()!);
    expect([...queue.ids]).toEqual(["c"]);
    expect([queue.take(), queue.take()]).toEqual([other, undefined]);
  });

  test("skips deliveries of that key in a page fetched before the release", () => {
    const queue = new PartnerQueue();
    queue.add([delivery("a", "C_1")]);
    const first = queue.take()!;
    queue.beginFetch();
    queue.release(first);
    queue.add([delivery("b", "C_1"), delivery("c", "C_2")]);
    expect([queue.take()?.id, queue.take()]).toEqual(["c", undefined]);
    queue.beginFetch();
    queue.add([first, delivery("b", "C_1")]);
    expect([queue.take()?.id, queue.take()]).toEqual(["a", undefined]);
  });

  test("clear keeps taken deliveries known", () => {
    const queue = new PartnerQueue();
    queue.add([delivery("a"), delivery("b"), delivery("c")]);
    queue.take();
    queue.clear();
    expect([...queue.ids]).toEqual(["a"]);
    expect(queue.waitingCount).toBe(0);
  });
});
