import { isoTextOfInstant } from "../domain/time.ts";
import type { ConnectionCheck, ConnectionReport } from "../pms/pms-connection-report.ts";
import {
  enumSchema,
  flagSchema,
  instantSchema,
  listSchema,
  objectSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";

export const preflight = objectSchema({
  ok: flagSchema("Whether every check passed"),
  checked_at: instantSchema("When the checks started"),
  checks: listSchema(
    "The checks in order, up to the first that failed",
    objectSchema({
      name: enumSchema<ConnectionCheck["name"]>(
        ["configured", "dns", "tcp", "tls", "http", "credentials"],
        "The step",
      ),
      ok: flagSchema("Whether the step succeeded"),
      detail: textSchema("Result in words", "203.0.113.7"),
      duration_ms: wholeNumberSchema("Duration in milliseconds", 12),
    }),
  ),
});

export const serializePmsConnectionTest = preflight.serializer(
  ({ ok, checkedAt, checks }: ConnectionReport) => ({
    ok,
    checked_at: isoTextOfInstant(checkedAt),
    checks: checks.map((check) => ({
      name: check.name,
      ok: check.ok,
      detail: check.detail,
      duration_ms: check.durationMs,
    })),
  }),
);
