import { isoTextOfInstant } from "../domain/time.ts";
import type { ServerOverview } from "../monitoring/monitored-server-overview.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import {
  enumSchema,
  instantSchema,
  listSchema,
  objectSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";

const check = objectSchema({
  name: textSchema("Name of the check", "last_backup"),
  status: enumSchema(["ok", "warn", "fail"], "Result of the check", "warn"),
  detail: textSchema("What the check found", "no backups are scheduled"),
  remedy: textSchema("How to fix the problem; null if there is none").orNull(),
});
export type CheckJson = JsonOf<typeof check>;

export const overview = objectSchema({
  at: instantSchema("When the checks ran"),
  status: enumSchema(["ok", "warn", "fail"], "The worst status of all checks"),
  version: textSchema("The server's version", "0.1.0"),
  uptime_s: wholeNumberSchema("Seconds since the server started", 86_400),
  checks: listSchema("The checks, in a fixed order", check),
  properties: wholeNumberSchema("Properties of all partners", 12),
  components: wholeNumberSchema("Components of all partners", 900),
  critical: wholeNumberSchema("Components in tier CRITICAL", 9),
  warning: wholeNumberSchema("Components in tier WARNING", 40),
  deliveries_pending: wholeNumberSchema("Pending deliveries, counted up to 100,000", 0),
  deliveries_failed_24h: wholeNumberSchema(
    "Deliveries created within 24 hours that failed, counted up to 100,000",
    0,
  ),
});
export type OverviewJson = JsonOf<typeof overview>;

export const serializeServerOverview = overview.serializer((found: ServerOverview) => ({
  at: isoTextOfInstant(found.at),
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
  deliveries_failed_24h: found.deliveriesFailed,
}));
