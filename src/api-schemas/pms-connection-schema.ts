import { isoText } from "../domain/time.ts";
import type { ConnectionCheck, ConnectionReport } from "../pms/pms-connection-report.ts";
import { enumOf, flag, instant, list, object, text, whole } from "./definition/schema-field-types.ts";

export const preflight = object({
  ok: flag("Whether every check passed"),
  checked_at: instant("When the checks started"),
  checks: list(
    "The checks in order, up to the first that failed",
    object({
      name: enumOf<ConnectionCheck["name"]>(
        ["configured", "dns", "tcp", "tls", "http", "credentials"],
        "The step",
      ),
      ok: flag("Whether the step succeeded"),
      detail: text("Result in words", "203.0.113.7"),
      duration_ms: whole("Duration in milliseconds", 12),
    }),
  ),
});

export const serializePmsConnectionTest = preflight.serializer(
  ({ ok, checkedAt, checks }: ConnectionReport) => ({
    ok,
    checked_at: isoText(checkedAt),
    checks: checks.map((check) => ({
      name: check.name,
      ok: check.ok,
      detail: check.detail,
      duration_ms: check.durationMs,
    })),
  }),
);
