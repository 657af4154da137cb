import { describe, expect, test } from "bun:test";
import {
  type EventFeedCursors,
  type FeedCursor,
  MemoryFeedCursors,
  StoredFeedCursors,
} from "../../../src/usecases/event-stream/find-event-feed-cursor.ts";
import { usePartnerStore } from "../../support/partner-store.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const cursorAt = (offset: number, entries = 1): FeedCursor => ({
  entries,
  shownUntil: NOW - entries,
  order: { latestSnapshotAt: null, settled: 0 },
  pages: [{ offset, after: undefined }],
});

const client = (name: string) => ({ partnerId: "PARTNER_1", client: name });
const openStore = usePartnerStore();

describe.each([
  ["in memory", async () => new MemoryFeedCursors()],
  ["in the database", async () => new StoredFeedCursors((await openStore(NOW)).store)],
])("the cursors of the event stream, %s,", (_, open: () => Promise<EventFeedCursors>) => {
  test("are found by the end of their last page, and by no other", async () => {
    const cursors = await open();
    await cursors.begin(client("a"), cursorAt(50), NOW);
    expect((await cursors.find(client("a"), 50, NOW))?.cursor.entries).toBe(1);
    expect(await cursors.find(client("a"), 100, NOW)).toBeUndefined();
    expect(await cursors.find(client("b"), 50, NOW)).toBeUndefined();
  });

  test("expire 25 hours after their latest page, and ten minutes after the last", async () => {
    const cursors = await open();
    await cursors.begin(client("a"), cursorAt(50), NOW);
    await cursors.begin(client("b"), cursorAt(50), NOW);
    const use = async (at: number, isLastPage: boolean, name = "a") => {
      const found = await cursors.find(client(name), 50, at);
      if (found) await cursors.advance(client(name), found.cursor, found.cursor, at, isLastPage);
      return found !== undefined;
    };
    expect(await use(NOW + 24 * HOUR, false)).toBe(true);
    expect(await use(NOW + 48 * HOUR, true)).toBe(true);
    expect(await use(NOW + 48 * HOUR + 9 * MINUTE, true)).toBe(true);
    expect(await use(NOW + 48 * HOUR + 20 * MINUTE, true)).toBe(false);
    expect(await use(NOW + 26 * HOUR, false, "b")).toBe(false);
  });

  test("of two clients at the same page return the later and the earlier end of what was shown", async () => {
    const cursors = await open();
    await cursors.begin(client("a"), cursorAt(50, 3), NOW);
    await cursors.begin(client("a"), cursorAt(50, 2), NOW);
    expect((await cursors.find(client("a"), 50, NOW))?.cursor).toMatchObject({
      entries: 2,
      shownUntil: NOW - 3,
    });
  });
});

describe("the cursors of the event feed", () => {
  test("are limited to eight per client, and to 10,000 clients, of which the partner with the most loses one", () => {
    const cursors = new MemoryFeedCursors();
    const other = { partnerId: "PARTNER_2", client: "a" };
    cursors.begin(other, cursorAt(50), NOW);
    for (let i = 0; i < 9; i++) cursors.begin(client("a"), cursorAt(i), NOW);
    expect(cursors.find(client("a"), 0, NOW)).toBeUndefined();
    expect(cursors.find(client("a"), 1, NOW)).toBeDefined();
    for (let i = 0; i < 10_000; i++) cursors.begin(client(`client ${i}`), cursorAt(0), NOW);
    expect(cursors.find(client("a"), 1, NOW)).toBeUndefined();
    expect(cursors.find(client("client 0"), 0, NOW)).toBeUndefined();
    expect(cursors.find(client("client 1"), 0, NOW)).toBeDefined();
    cursors.begin(client("one more"), cursorAt(0), NOW);
    // Found just before, it was not the longest unused one.
    expect(cursors.find(client("client 1"), 0, NOW)).toBeDefined();
    expect(cursors.find(client("client 2"), 0, NOW)).toBeUndefined();
    expect(cursors.find(other, 50, NOW)).toBeDefined();
  });
});

test("cursors in memory are stored for the next process, but those of deleted partners are not", async () => {
  const { store, partnerId } = await openStore(NOW);
  const [own, other] = [
    { partnerId, client: "2026-01-01 50" },
    { partnerId, client: "2026-02-01 50" },
  ];
  const before = new MemoryFeedCursors();
  before.begin(own, cursorAt(50, 1), NOW - 24 * HOUR);
  before.begin(own, cursorAt(50, 2), NOW);
  before.begin(other, cursorAt(100, 3), NOW - 26 * HOUR);
  before.begin(client("deleted"), cursorAt(50), NOW);
  for (let times = 0; times < 2; times++) await before.keep(store, NOW);

  const after = new MemoryFeedCursors();
  await after.restore(store, NOW);
  expect(await store.read.feedCursors.all(0)).toHaveLength(2);
  expect(after.find(own, 50, NOW)?.cursor).toMatchObject({ entries: 2, shownUntil: NOW - 2 });
  expect(after.find(own, 50, NOW + HOUR)).toBeDefined();
  expect(after.find(other, 100, NOW)).toBeUndefined();
  expect(after.find(client("deleted"), 50, NOW)).toBeUndefined();
});

/** A cursor whose next page begins after a component. */
const cursorAfter = (offset: number, rescoredAt: number, seq: number): FeedCursor => ({
  ...cursorAt(offset),
  pages: [offset - 50, offset].map((at) => ({ offset: at, after: { rescoredAt, seq } })),
});

describe.each([
  ["in memory", async () => new MemoryFeedCursors()],
  ["in the database", async () => new StoredFeedCursors((await openStore(NOW)).store)],
])("of two answers to one page, cursors %s", (_, open: () => Promise<EventFeedCursors>) => {
  const next = async (cursors: EventFeedCursors) => (await cursors.find(client("a"), 100, NOW))?.page.after;

  test.each([
    ["first", cursorAfter(100, 2, 7), cursorAfter(100, 3, 1)],
    ["last", cursorAfter(100, 3, 1), cursorAfter(100, 2, 7)],
    ["twice", cursorAfter(100, 2, 7), cursorAfter(100, 2, 7)],
  ])("continue after the one that ended earlier, stored %s", async (_, one, two) => {
    const cursors = await open();
    await cursors.begin(client("a"), cursorAt(50), NOW);
    const both = [(await cursors.find(client("a"), 50, NOW))!, (await cursors.find(client("a"), 50, NOW))!];
    await cursors.advance(client("a"), both[0]!.cursor, one, NOW, false);
    await cursors.advance(client("a"), both[1]!.cursor, two, NOW, false);
    expect(await next(cursors)).toEqual({ rescoredAt: 2, seq: 7 });
  });

  test("leave out a position from before the latest snapshot", async () => {
    const cursors = await open();
    await cursors.begin(client("a"), cursorAfter(100, 2, 7), NOW);
    const order = { latestSnapshotAt: NOW, settled: 5 };
    await cursors.begin(client("a"), { ...cursorAfter(100, 3, 1), order }, NOW);
    expect(await next(cursors)).toEqual({ rescoredAt: 3, seq: 1 });
  });
});

test("a cursor that another server has advanced is not moved back by a late answer of the first", async () => {
  const { store } = await openStore(NOW);
  const [paused, other] = [new StoredFeedCursors(store), new StoredFeedCursors(store)];
  const go = async (cursors: EventFeedCursors, from: number) => {
    const { cursor } = (await cursors.find(client("a"), from, NOW))!;
    const pages = [from, from + 50].map((offset) => ({ offset, after: undefined }));
    return async () => await cursors.advance(client("a"), cursor, { ...cursor, pages }, NOW, false);
  };
  await paused.begin(client("a"), cursorAt(50), NOW);
  const late = await go(paused, 50);
  await (await go(other, 50))();
  await (await go(other, 100))();
  await late();
  expect(await other.find(client("a"), 150, NOW)).toBeDefined();
});
