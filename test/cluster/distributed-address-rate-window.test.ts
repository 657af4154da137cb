import { expect, test } from "bun:test";
import { DistributedAddressRateWindow } from "../../src/cluster/distributed-address-rate-window.ts";
import { StorageError } from "../../src/domain/errors.ts";

/** Remembers whom it was asked for, and refuses all for so long. */
class Counted {
  readonly asked: string[] = [];
  constructor(private readonly refusesForMs: number) {}
  async admit(caller: string): Promise<number | undefined> {
    this.asked.push(caller);
    return this.refusesForMs;
  }
}

test("calls of an address are counted across all servers, separately from those of partners", async () => {
  const [shared, own] = [new Counted(7), new Counted(9)];
  const window = new DistributedAddressRateWindow(shared, own, "address ");
  expect(await window.admit("10.0.0.1", 0)).toBe(7);
  expect([shared.asked, own.asked]).toEqual([["address 10.0.0.1"], []]);
});

test("they are counted per server while the database is unavailable", async () => {
  const away = { admit: () => Promise.reject(new StorageError("away")) };
  const window = new DistributedAddressRateWindow(away, new Counted(9), "");
  expect(await window.admit("10.0.0.1", 0)).toBe(9);
});

test("calls of one address that come at once are counted together, however many", async () => {
  const [shared, own] = [new Counted(7), new Counted(9)];
  const window = new DistributedAddressRateWindow(shared, own, "");
  await Promise.all(Array.from({ length: 1000 }, () => window.admit("10.0.0.1", 0)));
  expect([shared.asked.length, own.asked.length]).toEqual([1000, 0]);
});

test("they are also counted during a flood from very many addresses, with few concurrent queries", async () => {
  let answer = () => {};
  const waits = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const asked: string[] = [];
  const shared = {
    async admit(caller: string) {
      asked.push(caller);
      await waits;
      return undefined;
    },
  };
  const own = new Counted(9);
  const window = new DistributedAddressRateWindow(shared, own, "");
  const flood = Array.from({ length: 1000 }, (_, nth) => window.admit(`10.0.${nth >> 8}.${nth & 255}`, 0));
  answer();
  await Promise.all(flood);
  expect(asked.length).toBeLessThan(100);
  expect(asked.length + own.asked.length).toBe(1000);
  expect(await window.admit("10.9.9.9", 0)).toBeUndefined();
});
