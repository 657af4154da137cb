import { formatPageDateTime } from "../page/page-format.ts";

const localTime = (instant: Date) =>
  instant.toLocaleString("en-US", { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });

/** `(Nov 20, 7:00 PM your time)`; nothing where that is UTC. */
function localText(at: string): string | undefined {
  const instant = new Date(at);
  return instant.getTimezoneOffset() === 0 ? undefined : `(${localTime(instant)} your time)`;
}

/** `Nov 21, 2026, 3:00:05 AM UTC (Nov 20, 7:00 PM your time)`: the reader's own time stands beside UTC where it differs. */
export const pageInstantWithLocalTimeText = (at: string): string =>
  [formatPageDateTime(at), localText(at)].filter(Boolean).join(" ");

/** Shows an instant in UTC, and in the reader's time zone where that differs. */
export function InstantWithLocalTime({ at }: { at: string }) {
  const local = localText(at);
  return (
    <time dateTime={at}>
      {formatPageDateTime(at)}
      {local !== undefined && (
        <>
          {" "}
          <span class="local">{local}</span>
        </>
      )}
    </time>
  );
}
