import type { UsageJson, UsagePageJson } from "../../api-schemas/partner-schema.ts";
import { downloadCsv } from "../browser/browser-csv-file.ts";
import { hrefTo, type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { formatPageWholeNumber } from "../page/page-format.ts";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { PreviousNextButtons } from "../widgets/pager.tsx";
import { VirtualTable } from "../widgets/virtual-table.tsx";
import { useAdminAction, useAdminRead, useConsole, useConsoleTitle } from "./console-context.ts";
import { ConsoleHeading } from "./console-shell.tsx";

const PAGE_SIZE = 100;
const thisMonth = () => new Date().toISOString().slice(0, 7);

/** Lists every partner's API calls and billable units in a month, for billing. */
export function ConsoleUsagePage({ route }: { route: Route }) {
  const month = route.query.get("month") ?? thisMonth();
  const offset = route.query.get("offset") ?? "0";
  const query = new URLSearchParams({ month, offset, limit: String(PAGE_SIZE) });
  const loaded = useAdminRead<UsagePageJson>(`/admin/usage?${query}`);
  useConsoleTitle("Usage");
  return (
    <>
      <p class="breadcrumbs small">
        <a href={hrefTo(["partners"])}>Partners</a>
      </p>
      <ConsoleHeading
        title="Usage"
        about="API calls by partner and month (UTC). Billable units are current property units, excluding demo properties."
      >
        <SaveCsv month={month} />
      </ConsoleHeading>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <span class="filter">
          <label for="month">Month (UTC)</label>
          <input
            id="month"
            type="month"
            value={month}
            max={thisMonth()}
            onChange={({ currentTarget: { value } }) =>
              value && replaceBrowserUrlQuery(route, { month: value, offset: "" })
            }
          />
        </span>
      </form>
      <LoadedContent loaded={loaded} what="the usage">
        {(page) =>
          page.total === 0 ? (
            <EmptyState title="No partners yet" />
          ) : (
            <section class="card" aria-label="Usage">
              <VirtualTable
                caption="Usage"
                rows={page.partners}
                rowKey={({ partner_id }) => partner_id}
                columns={[
                  {
                    key: "name",
                    heading: "Partner",
                    cell: ({ partner_id, name }) => (
                      <a class="name" href={hrefTo(["partners", partner_id], { month })}>
                        <bdi>{name}</bdi>
                      </a>
                    ),
                  },
                  {
                    key: "calls",
                    heading: "Calls",
                    isNumber: true,
                    cell: ({ calls }) => formatPageWholeNumber(calls),
                  },
                  {
                    key: "units",
                    heading: "Billable units",
                    isNumber: true,
                    cell: ({ billable_units }) => formatPageWholeNumber(billable_units),
                  },
                ]}
              />
              <PreviousNextButtons
                page={page}
                one="partner"
                directions={["Previous", "Next"]}
                onOffset={(to) => replaceBrowserUrlQuery(route, { offset: String(to) })}
              />
            </section>
          )
        }
      </LoadedContent>
    </>
  );
}

/** Saves every partner's calls by day, in the format of `mainstay partner usage --csv`. */
function SaveCsv({ month }: { month: string }) {
  const { api } = useConsole();
  const { isRunning, run } = useAdminAction();
  const save = () =>
    run(async () => {
      const all: UsageJson[] = [];
      for (let offset = 0; ; offset += 200) {
        const page = await api.read<UsagePageJson>(`/admin/usage?month=${month}&limit=200&offset=${offset}`);
        all.push(...page.partners);
        if (all.length >= page.total || page.partners.length === 0) break;
      }
      downloadCsv(
        `usage-${month}.csv`,
        ["partner_id", "day", "calls", "billable_units", "name"],
        all.flatMap(({ partner_id, name, billable_units, days }) =>
          (days.length > 0 ? days : [{ day: month, calls: 0 }]).map(({ day, calls }) => [
            partner_id,
            day,
            calls,
            billable_units,
            name,
          ]),
        ),
      );
    });
  return (
    <button
      type="button"
      class="outline"
      aria-busy={isRunning}
      disabled={isRunning}
      onClick={() => void save()}
    >
      Download CSV
    </button>
  );
}
