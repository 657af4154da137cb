import { describe, expect, test } from "bun:test";
import { EventWalks, type Walk } from "../../src/usecases/event-walks.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const MINUTE = 60_000;

const walkAt = (offset: number, entries = 1): Walk => ({
  entries,
  shownUntil: NOW - entries,
  order: { settledAt: null, settled: 0 },
  pages: [{ offset, after: undefined }],
});

describe("the walks of the event stream", () => {
  test("are found where they stand, and nowhere else", () => {
    const walks = new EventWalks();
    walks.begin("a", walkAt(50), NOW);
    expect(walks.at("a", 50, NOW)?.walk.entries).toBe(1);
    expect(walks.at("a", 100, NOW)).toBeUndefined();
    expect(walks.at("b", 50, NOW)).toBeUndefined();
  });

  test("are forgotten ten minutes after their last page", () => {
    const walks = new EventWalks();
    walks.begin("a", walkAt(50), NOW);
    expect(walks.at("a", 50, NOW + 9 * MINUTE)).toBeDefined();
    expect(walks.at("a", 50, NOW + 18 * MINUTE)).toBeDefined();
    expect(walks.at("a", 50, NOW + 29 * MINUTE)).toBeUndefined();
  });

  test("of two clients that stand at one page, give the later and the earlier end of what was shown", () => {
    const walks = new EventWalks();
    walks.begin("a", walkAt(50, 3), NOW);
    walks.begin("a", walkAt(50, 2), NOW);
    expect(walks.at("a", 50, NOW)?.walk).toMatchObject({ entries: 2, shownUntil: NOW - 3 });
  });

  test("of one client are eight at most, and of ten thousand clients", () => {
    const walks = new EventWalks();
    for (let i = 0; i < 9; i++) walks.begin("a", walkAt(i), NOW);
    expect(walks.at("a", 0, NOW)).toBeUndefined();
    expect(walks.at("a", 1, NOW)).toBeDefined();
    for (let i = 0; i < 10_000; i++) walks.begin(`client ${i}`, walkAt(0), NOW);
    expect(walks.at("a", 1, NOW)).toBeUndefined();
    expect(walks.at("client 0", 0, NOW)).toBeDefined();
  });
});
