import { useEffect, useMemo } from "preact/hooks";
import type { PortfolioTotalsJson } from "../../wire/portfolio.ts";
import { Empty, Failed, Loading, Showing } from "../browser/load-states.tsx";
import { addressOf, type Place } from "../browser/route.ts";
import { useLoaded } from "../browser/use-load.ts";
import { Bar } from "../charts/bar.tsx";
import { TierBar } from "../charts/tier-bar.tsx";
import { TierMark } from "../charts/tier-mark.tsx";
import { count, counted, date, money } from "../format.ts";
import { systemLabel } from "../labels.ts";
import { Numbers, Section } from "../sections/section.tsx";
import { readSystems, type SystemRow } from "./alerts-by-system.ts";
import { useApp, useTitle, useWatched } from "./app-context.ts";
import { saveRecords } from "./csv-download.tsx";
import { byState, type StateRow } from "./portfolio-list.ts";
import { WhatToDoInPortfolio } from "./portfolio-plan-section.tsx";
import { LoadedSoFar } from "./portfolio-progress.tsx";
import { Counted } from "./properties-page.tsx";
import { usePrinted } from "./use-print-footer.ts";

const STATES_SHOWN = 10;

/** The portfolio: its totals, its plan, and its risk by system and by state. */
export function OverviewPage({ place }: { place: Place }) {
  const { portfolio } = useApp();
  useTitle("Overview");
  usePrinted(`Portfolio, ${date(new Date().toISOString())}`);
  useWatched(portfolio);
  useEffect(() => {
    void portfolio.start();
  }, [portfolio]);
  const { totals, total, failure, loaded } = portfolio.state;
  if (!totals && failure) return <Failed failure={failure} again={() => void portfolio.again()} isPage />;
  return (
    <>
      <header class="heading">
        <div>
          <h1>Portfolio</h1>
          {totals && (
            <p class="mute">
              {counted(totals.properties, "property", "properties")} ·{" "}
              {counted(totals.appliances, "appliance")} · {counted(totals.components, "component")}
            </p>
          )}
        </div>
      </header>
      {!totals && <Loading what="the portfolio" />}
      {total === 0 && (
        <Empty title="No properties yet">
          <p>Properties added through the API or by import appear here.</p>
        </Empty>
      )}
      {totals && totals.properties > 0 && (
        <>
          <Standing totals={totals} />
          {totals.components > 0 && <WhatToDoInPortfolio place={place} />}
          {totals.components > 0 && <BySystem />}
          <ByState rows={loaded} />
        </>
      )}
    </>
  );
}

function Standing({ totals }: { totals: PortfolioTotalsJson }) {
  const { critical, warning, components, total_deferred, total_reactive } = totals;
  return (
    <section class="card" aria-labelledby="standing">
      <h2 id="standing" class="heard">
        Status
      </h2>
      <dl class="figures four">
        <div>
          <dt>
            <TierMark tier="CRITICAL" /> Critical
          </dt>
          <dd>
            <a href={addressOf(["alerts"], { tier: "CRITICAL" })}>{counted(critical, "component")}</a>
          </dd>
          <dd class="small mute">of {count(components)}; act now</dd>
        </div>
        <div>
          <dt>
            <TierMark tier="WARNING" /> Warning
          </dt>
          <dd>
            <a href={addressOf(["alerts"], { tier: "WARNING" })}>{counted(warning, "component")}</a>
          </dd>
          <dd class="small mute">plan work within 6 months</dd>
        </div>
        <div>
          <dt>Planned replacement cost</dt>
          <dd>{money(total_deferred)}</dd>
          <dd class="small mute">of critical and warning components</dd>
        </div>
        <div>
          <dt>Cost after failure</dt>
          <dd>{money(total_reactive)}</dd>
          <dd class="small mute">{money(total_reactive - total_deferred)} more than planned</dd>
        </div>
      </dl>
    </section>
  );
}

function BySystem() {
  const { api } = useApp();
  const systems = useLoaded("systems", () => readSystems(api));
  return (
    <Section
      id="by-system"
      title="Risk by building system"
      about="Critical and warning components of all properties."
    >
      <Showing loaded={systems} what="the systems">
        {(rows) =>
          rows.length === 0 ? (
            <p class="empty">No critical or warning components.</p>
          ) : (
            <>
              <ul class="sums">
                {rows.map((row) => (
                  <SystemLine row={row} most={Math.max(...rows.map((one) => one.critical + one.warning))} />
                ))}
              </ul>
              <Numbers
                caption="Risk by building system"
                rows={rows}
                csv={() => saveRecords("by-system.csv", rows)}
                columns={[
                  { heading: "System", cell: (row: SystemRow) => systemLabel(row.system) },
                  { heading: "Critical", isNumber: true, cell: (row) => count(row.critical) },
                  { heading: "Warning", isNumber: true, cell: (row) => count(row.warning) },
                ]}
              />
            </>
          )
        }
      </Showing>
    </Section>
  );
}

function SystemLine({ row, most }: { row: SystemRow; most: number }) {
  const { system, critical, warning } = row;
  return (
    <li>
      <a href={addressOf(["alerts"], { system })}>{systemLabel(system)}</a>
      <TierBar critical={critical} warning={warning} most={most} />
      <span class="pair">
        <span>
          <Counted tier="CRITICAL" of={critical} />
          <span class="heard"> critical</span>
        </span>
        <span>
          <Counted tier="WARNING" of={warning} />
          <span class="heard"> in warning</span>
        </span>
      </span>
    </li>
  );
}

function ByState({ rows: loaded }: { rows: readonly { item: Parameters<typeof byState>[0][number] }[] }) {
  const rows = useMemo(() => byState(loaded.map(({ item }) => item)), [loaded]);
  const most = Math.max(...rows.map(({ deferred }) => deferred), 0);
  return (
    <Section
      id="by-state"
      title="Planned cost by state"
      about="Replacement cost of critical and warning components."
    >
      <LoadedSoFar />
      <ul class="sums">
        {rows.slice(0, STATES_SHOWN).map((row) => (
          <li>
            <span>
              <a href={addressOf(["properties"], { state: row.state })}>{row.state}</a>{" "}
              <span class="small mute">{counted(row.properties, "property", "properties")}</span>
            </span>
            <Bar value={row.deferred} most={most} />
            <strong>{money(row.deferred)}</strong>
          </li>
        ))}
      </ul>
      <Numbers
        caption="Planned cost by state"
        summary={rows.length > STATES_SHOWN ? `View all ${count(rows.length)} states as table` : undefined}
        rows={rows}
        csv={() =>
          saveRecords(
            "by-state.csv",
            rows.map(({ deferred, reactive, ...row }) => ({
              ...row,
              total_deferred: deferred,
              total_reactive: reactive,
            })),
          )
        }
        columns={[
          { heading: "State", cell: (row: StateRow) => row.state },
          { heading: "Properties", isNumber: true, cell: (row) => count(row.properties) },
          { heading: "Components", isNumber: true, cell: (row) => count(row.components) },
          { heading: "Critical", isNumber: true, cell: (row) => count(row.critical) },
          { heading: "Warning", isNumber: true, cell: (row) => count(row.warning) },
          { heading: "Planned cost", isNumber: true, cell: (row) => money(row.deferred) },
          { heading: "Cost after failure", isNumber: true, cell: (row) => money(row.reactive) },
        ]}
      />
    </Section>
  );
}
