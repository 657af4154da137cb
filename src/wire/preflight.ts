import type { ConnectionCheck, ConnectionReport } from "../administration/connection-check.ts";
import { toIso } from "../domain/time.ts";
import { enumOf, flag, instant, list, object, text, whole } from "./schema/fields.ts";

/** What an administrator reads of the connection to the property-management system. */
export const preflight = object({
  ok: flag("Whether every check passed"),
  checked_at: instant("When the checks began"),
  checks: list(
    "The checks, up to the first that did not pass",
    object({
      name: enumOf<ConnectionCheck["name"]>(
        ["configured", "dns", "tcp", "tls", "http", "credentials"],
        "What was checked",
      ),
      ok: flag("Whether it passed"),
      detail: text("What was seen", "203.0.113.7"),
      duration_ms: whole("How long it took, in milliseconds", 12),
    }),
  ),
});

export const preflightView = preflight.serializer(({ ok, checkedAt, checks }: ConnectionReport) => ({
  ok,
  checked_at: toIso(checkedAt),
  checks: checks.map((check) => ({
    name: check.name,
    ok: check.ok,
    detail: check.detail,
    duration_ms: check.durationMs,
  })),
}));
