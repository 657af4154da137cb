import { calendarMonthFromText, type Day, type Instant, instantFromText, parseDay } from "../domain/time.ts";
import { UsageError, valueOption } from "./command.ts";

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration in milliseconds, typed as `90s`, `30m`, `24h` or `7d`. */
export const durationOption = (description: string) =>
  valueOption("DURATION", description, (typed): number => {
    const match = /^(\d{1,6})([smhd])$/.exec(typed);
    if (match) return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
    throw new UsageError(`expected a duration such as 30m, 24h or 7d, got ${JSON.stringify(typed)}`);
  });

/** An instant; a day means its first instant in UTC. */
export const instantOption = (description: string) =>
  valueOption("TIME", description, (typed): Instant => {
    const instant = instantFromText(typed);
    if (instant !== undefined) return instant;
    throw new UsageError(
      `expected a date or an ISO 8601 time such as 2026-01-31T15:04:05Z, got ${JSON.stringify(typed)}`,
    );
  });

/** A calendar day. */
export const dayOption = (description: string) =>
  valueOption("DATE", description, (typed): Day => {
    const parsed = parseDay(typed);
    if (parsed !== undefined) return parsed;
    throw new UsageError(`expected a date such as 2026-01-31, got ${JSON.stringify(typed)}`);
  });

export const monthOption = (description: string) =>
  valueOption("MONTH", description, (typed): string => {
    const parsed = calendarMonthFromText(typed);
    if (parsed !== undefined) return parsed;
    throw new UsageError(`expected a month such as 2026-01, got ${JSON.stringify(typed)}`);
  });
