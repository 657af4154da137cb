import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { type Steps, sortInSteps } from "../../domain/steps/computation-steps.ts";
import { ApplianceNames } from "../page/page-appliance-names.ts";
import { TIER_LABELS, TIERS } from "../page/page-code-labels.ts";
import { type RenderedPage, renderPageDocument } from "../page/page-document.tsx";
import { comparePageRowsByExpectedLoss } from "../page/page-expected-loss.ts";
import { formatPageCount, formatPageDate, formatPageWholeNumber } from "../page/page-format.ts";
import { truncatedPageName } from "../page/page-print-footer.ts";
import { pageSectionComponentColumns } from "../sections/component-table.tsx";
import {
  type DataLinks,
  type PropertyPageData,
  PropertySectionsHeading,
  pagePropertySections,
} from "../sections/property-sections.tsx";
import { SectionTable } from "../sections/section.tsx";
import { TierMark } from "../widgets/tier-mark.tsx";
import { brandCss, EmbedBrandBar, type PageBrand, printedPageBrandName } from "./embed-brand.tsx";

/** Addresses relative to the page. */
type PageAddresses = { style: string; script: string; links: DataLinks; brand: PageBrand };

/** Renders the page of a property. */
export function* renderEmbedPropertyPage(
  data: PropertyPageData,
  { style, script, links, brand }: PageAddresses,
): Steps<RenderedPage> {
  const { name } = data.property;
  const sections: string[] = [];
  for (const section of yield* pagePropertySections({ data, links })) {
    yield;
    sections.push(renderToString(section));
  }
  yield;
  const { html, ...page } = renderPageDocument({
    title: `${name}: condition`,
    style,
    script,
    moreCss: brandCss(brand),
    printFooter: `${printedPageBrandName(brand)}${truncatedPageName(name)} · Property condition, ${formatPageDate(data.assessedAt)}`,
    children: (
      <main class="property">
        <EmbedBrandBar brand={brand} />
        <PropertySectionsHeading data={data} links={links} />
        {h("sections-here", null)}
        <footer class="small muted">
          <p>
            {TIERS.map((tier) => (
              <span class="legend">
                <TierMark tier={tier} /> {TIER_LABELS[tier].name}: {TIER_LABELS[tier].meaning}
              </span>
            ))}
          </p>
        </footer>
      </main>
    ),
  });
  // The last occurrence: nothing below the placeholder is a partner's text, which could contain the placeholder too.
  const at = html.lastIndexOf(SECTIONS_PLACEHOLDER);
  return {
    ...page,
    html: html.slice(0, at) + sections.join("") + html.slice(at + SECTIONS_PLACEHOLDER.length),
  };
}

/** The placeholder for the sections, which are rendered one by one. */
const SECTIONS_PLACEHOLDER = "<sections-here></sections-here>";

const ROWS_PER_PAGE = 200;

/** Renders a page of the list of all components of a property, highest expected loss first. */
export function* renderEmbedComponentList(
  data: Pick<PropertyPageData, "property" | "components" | "types" | "units">,
  page: number,
  { style, back, brand }: { style: string; back: string; brand: PageBrand },
): Steps<RenderedPage> {
  const applianceNames = new ApplianceNames(data.types, data.units);
  const all = yield* sortInSteps(data.components, comparePageRowsByExpectedLoss);
  const from = (page - 1) * ROWS_PER_PAGE;
  const rows = all.slice(from, from + ROWS_PER_PAGE);
  const title = `${data.property.name}: all components`;
  return renderPageDocument({
    title,
    style,
    moreCss: brandCss(brand),
    children: (
      <main class="property">
        <EmbedBrandBar brand={brand} />
        <header class="heading">
          <div>
            <h1>All components</h1>
            <p class="muted">
              <a href={back}>
                <bdi>{data.property.name}</bdi>
              </a>
              {rows.length > 0 &&
                ` · ${formatPageWholeNumber(from + 1)}–${formatPageWholeNumber(from + rows.length)} of ${formatPageWholeNumber(all.length)}`}
            </p>
          </div>
        </header>
        <section class="card" aria-label="Components">
          {rows.length === 0 ? (
            <p class="empty">No components on this page.</p>
          ) : (
            <SectionTable caption={title} rows={rows} columns={pageSectionComponentColumns(applianceNames)} />
          )}
        </section>
        <nav class="pages" aria-label="Pages">
          {page > 1 && <a href={`?page=${page - 1}`}>Previous</a>}
          {from + rows.length < all.length && <a href={`?page=${page + 1}`}>Next</a>}
        </nav>
      </main>
    ),
  });
}

/** The error messages by status, each with further advice, if any. */
const ERRORS: Readonly<Record<number, readonly [title: string, remedy?: string]>> = {
  400: [
    "This link is not valid",
    "Part of the link was changed or repeated. Ask the person who shared it for a new link.",
  ],
  404: ["Page not found", "The link may be incomplete. Ask the person who shared it for a new link."],
  405: ["This page is read-only", "Open the link as it was shared with you."],
  413: ["The passcode is too long", "Go back and enter the passcode as it was sent to you."],
  429: ["Too many requests"],
};

/** Renders an error in place of the requested page. */
export function renderEmbedErrorPage(error: {
  /** The CSS rules, inline: the style sheet may be unavailable. */
  inlineCss: string;
  status: number;
  requestId: string;
  retryAfterS: number | undefined;
  /** The requested address. */
  retryUrl: string;
}): RenderedPage {
  const { inlineCss, status, requestId, retryAfterS, retryUrl } = error;
  const [title, remedy] = ERRORS[status] ?? [
    "Something went wrong on our side",
    "If the problem continues, contact the person who shared this link.",
  ];
  const isPassing = status === 429 || status >= 500;
  return renderPageDocument({
    title,
    inlineCss,
    children: (
      <main>
        <h1>{title}</h1>
        <p>
          {isPassing &&
            (retryAfterS === undefined
              ? "Try again in a moment. "
              : `Try again in ${formatPageCount(retryAfterS, "second")}. `)}
          {remedy}
        </p>
        {isPassing && (
          <p>
            <a href={retryUrl}>Try again</a>
          </p>
        )}
        {status >= 500 && <p class="muted">Request ID: {requestId}</p>}
      </main>
    ),
  });
}

/** Renders the page for a token that is unknown, expired or revoked. It does not say which. */
export function renderEmbedNotFoundPage(style: string): RenderedPage {
  return renderPageDocument({
    title: "Page not found",
    style,
    children: (
      <main class="property">
        <section class="card no-page">
          <h1>Page not found</h1>
          <p>
            This link is invalid, has expired or was revoked. Ask the person who shared it for a new link.
          </p>
        </section>
      </main>
    ),
  });
}
