import type { CheckJson, OverviewJson } from "../../api-schemas/server-overview-schema.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { formatPageCount, formatPageWholeNumber } from "../page/page-format.ts";
import { LoadedContent } from "../widgets/load-states.tsx";
import { InstantWithLocalTime } from "../widgets/local-date-time.tsx";
import { TierMark } from "../widgets/tier-mark.tsx";
import { useAdminRead, useConsoleTitle } from "./console-context.ts";
import { ConsoleRecentErrors } from "./console-recent-errors.tsx";
import { ConsoleServerMessage } from "./console-server-text.tsx";
import { ConsoleHeading } from "./console-shell.tsx";
import { CHECK_LABELS, CHECK_STATUS_LABELS } from "./console-status-labels.ts";
import { formatConsoleDuration } from "./console-time-format.ts";

const REFRESH_S = 30;
const WORST_FIRST = ["fail", "warn", "ok"] as const;

/** Shows the server's health, with a remedy for each check that is not OK, and its recent errors. */
export function ConsoleOverviewPage() {
  const loaded = useAdminRead<OverviewJson>("/admin/overview", REFRESH_S);
  useConsoleTitle("Overview");
  return (
    <LoadedContent loaded={loaded} what="the overview" isPage>
      {(overview) => (
        <>
          <Overview overview={overview} />
          <ConsoleRecentErrors />
        </>
      )}
    </LoadedContent>
  );
}

function Overview({ overview }: { overview: OverviewJson }) {
  const { checks, version, uptime_s, at } = overview;
  const failed = checks.filter(({ status }) => status === "fail").length;
  const warnings = checks.filter(({ status }) => status === "warn").length;
  const title =
    failed > 0 ? "Action required" : warnings > 0 ? "Running with warnings" : "All systems operational";
  const sorted = WORST_FIRST.flatMap((status) => checks.filter((check) => check.status === status));
  return (
    <>
      <ConsoleHeading
        title="Overview"
        about={
          <>
            Version {version}, up for {formatConsoleDuration(uptime_s)}. Last checked{" "}
            <InstantWithLocalTime at={at} />.
          </>
        }
      />
      <dl class="figures card">
        <Figure name="Properties" value={overview.properties} />
        <Figure name="Components" value={overview.components} />
        <Figure name="Critical" value={overview.critical} kind="critical" />
        <Figure name="Warning" value={overview.warning} kind="warning" />
        <Figure
          name="Failed deliveries (24 h)"
          value={overview.deliveries_failed_24h}
          kind="critical"
          href={hrefTo(["deliveries"], { status: "failed", period: "24h" })}
        />
      </dl>
      <section class="card" aria-labelledby="checks">
        <h2 id="checks">{title}</h2>
        <p class="about">
          {failed + warnings === 0
            ? `${formatPageCount(checks.length, "check")}, all OK`
            : [
                failed > 0 && `${formatPageCount(failed, "check")} failed`,
                warnings > 0 && formatPageCount(warnings, "warning"),
              ]
                .filter((part) => part !== false)
                .join(", ")}
        </p>
        <ul class="checks">
          {sorted.map((check) => (
            <Check check={check} />
          ))}
        </ul>
      </section>
    </>
  );
}

function Figure(props: { name: string; value: number; kind?: string; href?: string }) {
  const { name, value, kind = "", href } = props;
  return (
    <div>
      <dt>{name}</dt>
      <dd class={value > 0 ? kind : ""}>
        {href !== undefined && value > 0 ? (
          <a href={href}>{formatPageWholeNumber(value)}</a>
        ) : (
          formatPageWholeNumber(value)
        )}
      </dd>
    </div>
  );
}

function Check({ check }: { check: CheckJson }) {
  const { name, status, detail, remedy } = check;
  const label = CHECK_LABELS[name] ?? { name };
  const { name: statusName, tier } = CHECK_STATUS_LABELS[status];
  return (
    <li class={status}>
      <TierMark tier={tier} />
      <span class="state small">{statusName}</span>
      <h3>{label.place ? <a href={hrefTo(label.place)}>{label.name}</a> : label.name}</h3>
      <div>
        <p>
          <ConsoleServerMessage text={detail} />
        </p>
        {remedy && (
          <p class="muted">
            <ConsoleServerMessage text={remedy} />
          </p>
        )}
      </div>
    </li>
  );
}
