import type { CheckJson, OverviewJson } from "../../wire/overview.ts";
import { addressOf } from "../browser/place.ts";
import { Showing } from "../browser/states.tsx";
import { TierMark } from "../charts/tier-mark.tsx";
import { count, counted, moment } from "../format.ts";
import { useRead, useTitle } from "./console-context.ts";
import { RecentErrors } from "./recent-errors.tsx";
import { ServerText } from "./server-text.tsx";
import { Heading } from "./shell.tsx";
import { CHECK_STATUS, CHECK_WORDS, lengthOf } from "./words.ts";

const REFRESHED_S = 30;
const WORST_FIRST = ["fail", "warn", "ok"] as const;

/** Is all well? If not, what to do. */
export function OverviewPage() {
  const loaded = useRead<OverviewJson>("/admin/overview", REFRESHED_S);
  useTitle("Overview");
  return (
    <Showing loaded={loaded} what="the overview" isPage>
      {(overview) => (
        <>
          <Overview overview={overview} />
          <RecentErrors />
        </>
      )}
    </Showing>
  );
}

function Overview({ overview }: { overview: OverviewJson }) {
  const { checks, version, uptime_s, at } = overview;
  const open = checks.filter(({ status }) => status !== "ok");
  const acute = checks.filter(({ status }) => status === "fail").length;
  const title =
    acute > 0
      ? "Something needs you now"
      : open.length > 0
        ? "It runs, with something to see to"
        : "All is well";
  const sorted = WORST_FIRST.flatMap((status) => checks.filter((check) => check.status === status));
  return (
    <>
      <Heading
        title={title}
        about={`Version ${version}, up for ${lengthOf(uptime_s)}. Looked at ${moment(at)}.`}
      />
      <dl class="figures">
        <Figure name="Properties" value={overview.properties} />
        <Figure name="Components" value={overview.components} />
        <Figure name="Critical" value={overview.critical} kind="critical" />
        <Figure name="Warning" value={overview.warning} kind="warning" />
        <Figure name="Deliveries waiting" value={overview.deliveries_pending} />
      </dl>
      <section class="card" aria-labelledby="checks">
        <h2 id="checks">
          {open.length === 0
            ? `${counted(checks.length, "check")}, all well`
            : counted(open.length, "thing to see to", "things to see to")}
        </h2>
        <ul class="checks">
          {sorted.map((check) => (
            <Check check={check} />
          ))}
        </ul>
      </section>
    </>
  );
}

function Figure({ name, value, kind = "" }: { name: string; value: number; kind?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={value > 0 ? kind : ""}>{count(value)}</dd>
    </div>
  );
}

function Check({ check }: { check: CheckJson }) {
  const { name, status, detail, remedy } = check;
  const words = CHECK_WORDS[name] ?? { name };
  const { name: said, tier } = CHECK_STATUS[status];
  return (
    <li class={status}>
      <TierMark tier={tier} />
      <span class="state small">{said}</span>
      <h3>{words.place ? <a href={addressOf(words.place)}>{words.name}</a> : words.name}</h3>
      <div>
        <p>
          <ServerText text={detail} />
        </p>
        {remedy && (
          <p class="mute">
            <ServerText text={remedy} />
          </p>
        )}
      </div>
    </li>
  );
}
