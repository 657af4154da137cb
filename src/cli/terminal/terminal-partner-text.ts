import type { FullPartnerJson } from "../../api-schemas/partner-schema.ts";
import { fileSizeWording } from "../../domain/wording/file-size-wording.ts";
import { formatPageCount, formatPageWholeNumber } from "../../web/page/page-format.ts";
import { terminalLabeledLines } from "./terminal-table.ts";
import { terminalUtcTimeText } from "./terminal-time-text.ts";

/** Formats a partner with its endpoint, its portfolio and its deliveries. */
export function terminalPartnerText(partner: FullPartnerJson, width: number): string {
  const { webhook_events: events, webhook_secret_rotates_at: rotatesAt } = partner;
  return terminalLabeledLines(
    [
      ["Partner", partner.partner_id],
      ["Name", partner.name],
      ["State", partner.enabled ? "enabled" : "disabled"],
      ["Created", terminalUtcTimeText(partner.created_at, width)],
      ["Client ID", partner.client_id],
      ["Daily call limit", partner.daily_budget === 0 ? "none" : formatPageWholeNumber(partner.daily_budget)],
      ["Portfolio", portfolio(partner)],
      ["Photos", fileSizeWording(partner.photo_bytes)],
      ["Webhook endpoint", partner.webhook_url ?? "none"],
      ...(partner.webhook_url === null
        ? []
        : ([
            ["Endpoint state", endpointState(partner, width)],
            ["Events", events === null ? "all" : events.join(", ")],
            ["Concurrency", partner.webhook_concurrency ?? "the server's setting"],
            ...(rotatesAt === null
              ? []
              : [["Next secret", `active from ${terminalUtcTimeText(rotatesAt, width)}`] as const]),
          ] as const)),
      [
        "Deliveries",
        `${formatPageWholeNumber(partner.deliveries_pending)} pending, ${formatPageWholeNumber(partner.deliveries_failed)} failed`,
      ],
    ],
    width,
  );
}

const portfolio = ({ properties, appliances, components }: FullPartnerJson) =>
  [
    formatPageCount(properties, "property", "properties"),
    formatPageCount(appliances, "appliance"),
    formatPageCount(components, "component"),
  ].join(", ");

function endpointState(partner: FullPartnerJson, width: number): string {
  const {
    webhook_paused_at: pausedAt,
    webhook_failing_since: failingSince,
    webhook_last_error: error,
  } = partner;
  if (pausedAt !== null) return `paused since ${terminalUtcTimeText(pausedAt, width)}: ${error}`;
  return failingSince === null ? "OK" : `failing since ${terminalUtcTimeText(failingSince, width)}: ${error}`;
}
