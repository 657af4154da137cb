import { dateTime } from "../format.ts";

const localTime = (instant: Date) =>
  instant.toLocaleString("en-US", { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });

/** `Nov 21, 2026, 3:00:05 AM UTC (Nov 20, 7:00 PM your time)`: the reader's own time stands beside UTC where it differs. */
export function Moment({ at }: { at: string }) {
  const instant = new Date(at);
  return (
    <time dateTime={at}>
      {dateTime(at)}
      {instant.getTimezoneOffset() !== 0 && ` (${localTime(instant)} your time)`}
    </time>
  );
}
