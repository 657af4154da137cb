import { afterEach, expect, test } from "bun:test";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import {
  InstantWithLocalTime,
  pageInstantWithLocalTimeText,
} from "../../src/web/widgets/local-date-time.tsx";

const { TZ } = process.env;
afterEach(() => {
  process.env.TZ = TZ ?? "UTC";
});

test("an instant as a text has both times, too", () => {
  process.env.TZ = "America/Los_Angeles";
  expect(pageInstantWithLocalTimeText("2026-11-21T03:00:05.000Z").replaceAll(/\s/g, " ")).toBe(
    "Nov 21, 2026, 3:00:05 AM UTC (Nov 20, 7:00 PM your time)",
  );
});

test.each([
  ["UTC", "Nov 21, 2026, 3:00:05 AM UTC"],
  [
    "America/Los_Angeles",
    'Nov 21, 2026, 3:00:05 AM UTC <span class="local">(Nov 20, 7:00 PM your time)</span>',
  ],
])("an instant is shown in UTC, and beside it in the time zone %s", (zone, text) => {
  process.env.TZ = zone;
  const html = renderToString(h(InstantWithLocalTime, { at: "2026-11-21T03:00:05.000Z" }));
  // The language's data has a narrow no-break space before AM and PM.
  expect(html.replaceAll(/\s/g, " ")).toBe(`<time datetime="2026-11-21T03:00:05.000Z">${text}</time>`);
});
