import { expect, test } from "bun:test";
import { terminalProgressBarWidth } from "../../src/cli/terminal/terminal-progress-bar.ts";

test("a bar leaves room for numbers of seven digits, and is always visible", () => {
  const beside = `${"Comparing".padEnd(14)} [] 100%  1082000 of 1082000  1h05m left`.length;
  for (const columns of [66, 80, 100, 120, 400])
    expect(beside + terminalProgressBarWidth(columns)).toBeLessThanOrEqual(columns);
  expect([60, 80, 120].map(terminalProgressBarWidth)).toEqual([5, 22, 30]);
});
