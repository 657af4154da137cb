import type { ScheduledPlanJson } from "../../api-schemas/plan-schema.ts";
import type { Steps } from "../../domain/steps/computation-steps.ts";
import { ApplianceNames } from "../page/page-appliance-names.ts";
import { type RenderedPage, renderPageDocument } from "../page/page-document.tsx";
import { formatPageDate } from "../page/page-format.ts";
import { truncatedPageName } from "../page/page-print-footer.ts";
import { pageReserveSchedule } from "../page/page-reserve-schedule.ts";
import type { PropertyPageData } from "../sections/property-sections.tsx";
import { OFFERED_YEARS, ReserveScheduleSections } from "../sections/reserve-schedule-sections.tsx";
import { brandCss, EmbedBrandBar, type PageBrand, printedPageBrandName } from "./embed-brand.tsx";

type SchedulePageData = Pick<PropertyPageData, "property" | "types" | "units"> & {
  plan: ScheduledPlanJson;
};

/** Renders the replacement reserve schedule of a property, which prints in landscape orientation. */
export function* renderEmbedSchedulePage(
  { property, plan, types, units }: SchedulePageData,
  addresses: { style: string; script: string; back: string; csv: string; workbook: string; brand: PageBrand },
): Steps<RenderedPage> {
  const schedule = yield* pageReserveSchedule(plan, new ApplianceNames(types, units));
  yield;
  return renderPageDocument({
    title: `${property.name}: replacement reserve schedule`,
    style: addresses.style,
    script: addresses.script,
    moreCss: brandCss(addresses.brand),
    printFooter: `${printedPageBrandName(addresses.brand)}${truncatedPageName(property.name)} · Replacement reserve schedule, ${formatPageDate(plan.as_of)}`,
    isLandscape: true,
    children: (
      <main class="property reserve-page">
        <EmbedBrandBar brand={addresses.brand} />
        <ReserveScheduleSections
          property={property}
          plan={plan}
          schedule={schedule}
          back={addresses.back}
          controls={<TermsForm plan={plan} csv={addresses.csv} workbook={addresses.workbook} />}
        />
      </main>
    ),
  });
}

function TermsForm({ plan, csv, workbook }: { plan: ScheduledPlanJson; csv: string; workbook: string }) {
  return (
    <form class="choice screen" method="get">
      <label for="years">Years</label>
      <select id="years" name="years">
        {[...new Set([...OFFERED_YEARS, plan.years])]
          .sort((a, b) => a - b)
          .map((years) => (
            <option value={years} selected={years === plan.years}>
              {years}
            </option>
          ))}
      </select>
      <label for="inflation">Inflation (%)</label>
      <input
        id="inflation"
        name="inflation_pct"
        type="number"
        min="0"
        max="15"
        step="0.1"
        value={plan.inflation_pct}
      />
      <button type="submit">Update</button>
      <button type="button" class="outline secondary" data-prints hidden>
        Print
      </button>
      <a class="small" href={workbook} download>
        Download XLSX
      </a>
      <a class="small" href={csv} download>
        Download component CSV
      </a>
    </form>
  );
}
