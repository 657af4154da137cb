import { useEffect, useMemo, useState } from "preact/hooks";
import type { ConditionPointJson } from "../../api-schemas/condition-trend-schema.ts";
import type { PortfolioTotalsJson } from "../../api-schemas/portfolio-schema.ts";
import { readWholeListInBrowser } from "../browser/browser-list-reader.ts";
import { hrefTo, type Route } from "../browser/browser-route.ts";
import { useLoad } from "../browser/use-load.ts";
import { usePrintFooter } from "../browser/use-print-footer.ts";
import { ValueBarChart } from "../charts/bar.tsx";
import { TierBarChart } from "../charts/tier-bar.tsx";
import { pageSystemLabel } from "../page/page-code-labels.ts";
import {
  formatPageCount,
  formatPageDate,
  formatPageMoney,
  formatPageWholeNumber,
} from "../page/page-format.ts";
import { messageOfFailedEdit } from "../records/edit-record.tsx";
import { ConditionTrendSection } from "../sections/condition-trend-section.tsx";
import { CollapsedSectionTable, ReportSection } from "../sections/section.tsx";
import { EmptyState, FailureMessage, LoadedContent, LoadingMessage } from "../widgets/load-states.tsx";
import { TierCount, TierMark } from "../widgets/tier-mark.tsx";
import { showToast } from "../widgets/toasts.tsx";
import { readAppAlertsBySystem, type SystemAlerts } from "./app-alerts-by-system.ts";
import { useApp, useAppRerenderOnChange, useAppTitle } from "./app-context.ts";
import { downloadCsvInBrowser } from "./app-csv-download.tsx";
import { AppLoadingProgress } from "./app-loading-progress.tsx";
import { AppDueWork, AppPortfolioPlan, useAppPortfolioPlan } from "./app-portfolio-plan.tsx";
import { appTotalsByState, type StateTotals } from "./app-property-list.ts";

const MAX_STATES = 10;

/** The portfolio: its totals, its plan, and its risk by system and by state. */
export function AppOverviewPage({ route }: { route: Route }) {
  const { portfolio } = useApp();
  useAppTitle("Overview");
  usePrintFooter(`Portfolio, ${formatPageDate(new Date().toISOString())}`);
  useAppRerenderOnChange(portfolio);
  useEffect(() => {
    void portfolio.start();
  }, [portfolio]);
  const { totals, total, failure, loaded, includesDemo = false } = portfolio.state;
  const included = useMemo(
    () => loaded.map(({ item }) => item).filter(({ is_demo }) => includesDemo || !is_demo),
    [loaded, includesDemo],
  );
  if (!totals && failure)
    return <FailureMessage failure={failure} onRetry={() => void portfolio.reload()} isPage />;
  return (
    <>
      <header class="heading">
        <div>
          <h1>Portfolio</h1>
          {totals && (
            <p class="muted">
              {formatPageCount(totals.properties, "property", "properties")} ·{" "}
              {formatPageCount(totals.appliances, "appliance")} ·{" "}
              {formatPageCount(totals.components, "component")}
              {included.length < loaded.length && " · without the demo property"}
            </p>
          )}
        </div>
      </header>
      {!totals && <LoadingMessage what="the portfolio" />}
      {total === 0 && (
        <EmptyState title="Start in three steps">
          <FirstSteps />
        </EmptyState>
      )}
      {totals && totals.properties > 0 && (
        <>
          {totals.components > 0 && <Plan route={route} />}
          <StatusFigures totals={totals} />
          {totals.components > 0 && <OverTime />}
          {totals.components > 0 && <BySystem includesDemo={includesDemo} />}
          <ByState items={included} />
        </>
      )}
    </>
  );
}

function Plan({ route }: { route: Route }) {
  const plan = useAppPortfolioPlan();
  return (
    <>
      <AppDueWork plan={plan.plan} />
      <AppPortfolioPlan route={route} {...plan} />
    </>
  );
}

/** The condition and the expected cost of the portfolio by week. */
function OverTime() {
  const { api } = useApp();
  const { value = [] } = useLoad("over time", () =>
    readWholeListInBrowser<"trend", ConditionPointJson>(api, "/v1/portfolio/condition-trend", "trend"),
  );
  return (
    <ConditionTrendSection
      points={value}
      actions={hrefTo(["actions"])}
      csv={() => downloadCsvInBrowser("condition-trend.csv", value)}
    />
  );
}

/** The steps of a partner without properties. */
function FirstSteps() {
  const { api, portfolio } = useApp();
  const [isBusy, setBusy] = useState(false);
  const createDemo = async () => {
    setBusy(true);
    const failure = await messageOfFailedEdit(async () => {
      await api.write("POST", "/v1/onboarding/demo-property");
      await portfolio.reload();
    });
    setBusy(false);
    if (failure !== undefined) showToast(failure, { isFailure: true });
  };
  return (
    <ol class="first-steps">
      <li>
        <p>
          <strong>Look around</strong> in a demo property with ten years of records. Your totals will leave it
          out.
        </p>
        <button
          type="button"
          class="outline"
          aria-busy={isBusy}
          disabled={isBusy}
          onClick={() => void createDemo()}
        >
          Create the demo property
        </button>
      </li>
      <li>
        <p>
          <strong>Add your properties</strong> and their appliances:{" "}
          <a href={hrefTo(["import"])}>import a file</a>, or use the API as the{" "}
          <a href={`${api.root}/docs/guide`}>guide</a> shows.
        </p>
      </li>
      <li>
        <p>
          <strong>Receive changes</strong> at your webhook endpoint, which your operator sets.{" "}
          <a href={hrefTo(["deliveries"])}>Deliveries</a> shows each attempt.
        </p>
      </li>
    </ol>
  );
}

function StatusFigures({ totals }: { totals: PortfolioTotalsJson }) {
  const { critical, warning, components, total_deferred, total_reactive } = totals;
  return (
    <ReportSection
      id="status"
      title="Components at risk"
      about="By likelihood of failure only, regardless of the plan."
    >
      <dl class="figures four">
        <div>
          <dt>
            <TierMark tier="CRITICAL" /> Critical
          </dt>
          <dd>
            <a href={hrefTo(["alerts"], { tier: "CRITICAL" })}>{formatPageCount(critical, "component")}</a>
          </dd>
          <dd class="small muted">of {formatPageWholeNumber(components)}; high risk of failure</dd>
        </div>
        <div>
          <dt>
            <TierMark tier="WARNING" /> Warning
          </dt>
          <dd>
            <a href={hrefTo(["alerts"], { tier: "WARNING" })}>{formatPageCount(warning, "component")}</a>
          </dd>
          <dd class="small muted">plan work within 6 months</dd>
        </div>
        <div>
          <dt>Planned replacement cost</dt>
          <dd>{formatPageMoney(total_deferred)}</dd>
          <dd class="small muted">of critical and warning components</dd>
        </div>
        <div>
          <dt>Cost after failure</dt>
          <dd>{formatPageMoney(total_reactive)}</dd>
          <dd class="small muted">{formatPageMoney(total_reactive - total_deferred)} more than planned</dd>
        </div>
      </dl>
    </ReportSection>
  );
}

function BySystem({ includesDemo }: { includesDemo: boolean }) {
  const { api } = useApp();
  const systems = useLoad(`systems ${includesDemo}`, () => readAppAlertsBySystem(api, includesDemo));
  return (
    <ReportSection
      id="by-system"
      title="Risk by building system"
      about="Critical and warning components of all properties."
    >
      <LoadedContent loaded={systems} what="the systems">
        {(rows) =>
          rows.length === 0 ? (
            <p class="empty">No critical or warning components.</p>
          ) : (
            <>
              <ul class="sums">
                {rows.map((row) => (
                  <SystemLine
                    row={row}
                    most={Math.max(...rows.map((other) => other.critical + other.warning))}
                  />
                ))}
              </ul>
              <CollapsedSectionTable
                caption="Risk by building system"
                rows={rows}
                csv={() => downloadCsvInBrowser("by-system.csv", rows)}
                columns={[
                  { heading: "System", cell: (row: SystemAlerts) => pageSystemLabel(row.system) },
                  { heading: "Critical", isNumber: true, cell: (row) => formatPageWholeNumber(row.critical) },
                  { heading: "Warning", isNumber: true, cell: (row) => formatPageWholeNumber(row.warning) },
                ]}
              />
            </>
          )
        }
      </LoadedContent>
    </ReportSection>
  );
}

function SystemLine({ row, most }: { row: SystemAlerts; most: number }) {
  const { system, critical, warning } = row;
  return (
    <li>
      <a href={hrefTo(["alerts"], { system })}>{pageSystemLabel(system)}</a>
      <TierBarChart critical={critical} warning={warning} max={most} />
      <span class="pair">
        <span>
          <TierCount tier="CRITICAL" of={critical} />
          <span class="visually-hidden"> critical</span>
        </span>
        <span>
          <TierCount tier="WARNING" of={warning} />
          <span class="visually-hidden"> in warning</span>
        </span>
      </span>
    </li>
  );
}

function ByState({ items }: { items: Parameters<typeof appTotalsByState>[0] }) {
  const rows = useMemo(() => appTotalsByState(items), [items]);
  const most = Math.max(...rows.map(({ deferred }) => deferred), 0);
  return (
    <ReportSection
      id="by-state"
      title="Planned cost by state or region"
      about="Replacement cost of critical and warning components."
    >
      <AppLoadingProgress hasTotal={false} />
      <ul class="sums">
        {rows.slice(0, MAX_STATES).map((row) => (
          <li>
            <span>
              <a href={hrefTo(["properties"], { state: row.state })}>{row.state}</a>{" "}
              <span class="small muted">{formatPageCount(row.properties, "property", "properties")}</span>
            </span>
            <ValueBarChart value={row.deferred} max={most} />
            <strong>{formatPageMoney(row.deferred)}</strong>
          </li>
        ))}
      </ul>
      <CollapsedSectionTable
        caption="Planned cost by state or region"
        summary={
          rows.length > MAX_STATES
            ? `View all ${formatPageWholeNumber(rows.length)} states and regions as table`
            : undefined
        }
        rows={rows}
        csv={() =>
          downloadCsvInBrowser(
            "by-state.csv",
            rows.map(({ deferred, reactive, ...row }) => ({
              ...row,
              total_deferred: deferred,
              total_reactive: reactive,
            })),
          )
        }
        columns={[
          { heading: "State or region", cell: (row: StateTotals) => row.state },
          { heading: "Properties", isNumber: true, cell: (row) => formatPageWholeNumber(row.properties) },
          { heading: "Components", isNumber: true, cell: (row) => formatPageWholeNumber(row.components) },
          { heading: "Critical", isNumber: true, cell: (row) => formatPageWholeNumber(row.critical) },
          { heading: "Warning", isNumber: true, cell: (row) => formatPageWholeNumber(row.warning) },
          { heading: "Planned cost", isNumber: true, cell: (row) => formatPageMoney(row.deferred) },
          { heading: "Cost after failure", isNumber: true, cell: (row) => formatPageMoney(row.reactive) },
        ]}
      />
    </ReportSection>
  );
}
