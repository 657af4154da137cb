import type { Overview } from "../administration/overview.ts";
import { toIso } from "../domain/time.ts";
import { enumOf, instant, list, object, text, whole } from "./schema/fields.ts";
import type { WireOf } from "./schema/wire-type.ts";

const check = object({
  name: text("What was looked at", "last_backup"),
  status: enumOf(["ok", "warn", "fail"], "Whether it is well", "warn"),
  detail: text("What is so", "none is scheduled"),
  remedy: text("What to do about it; null when nothing is to be done").orNull(),
});
export type CheckJson = WireOf<typeof check>;

export const overview = object({
  at: instant("When it was looked at"),
  status: enumOf(["ok", "warn", "fail"], "The worst of the checks"),
  version: text("Version of the server", "0.1.0"),
  uptime_s: whole("Seconds since the start", 86_400),
  checks: list("What was looked at, in a fixed order", check),
  properties: whole("Properties of all partners", 12),
  components: whole("Their components", 900),
  critical: whole("Components of the tier CRITICAL", 9),
  warning: whole("Components of the tier WARNING", 40),
  deliveries_pending: whole("Deliveries that wait or are under way, counted up to 100,000", 0),
});
export type OverviewJson = WireOf<typeof overview>;

export const overviewView = overview.serializer((found: Overview) => ({
  at: toIso(found.at),
  status:
    (["fail", "warn"] as const).find((bad) => found.checks.some(({ status }) => status === bad)) ?? "ok",
  version: found.version,
  uptime_s: Math.floor(found.uptimeMs / 1000),
  checks: found.checks.map(({ name, status, detail, remedy }) => ({ name, status, detail, remedy })),
  properties: found.properties,
  components: found.components,
  critical: found.critical,
  warning: found.warning,
  deliveries_pending: found.deliveriesPending,
}));
