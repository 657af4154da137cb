import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { type Steps, sortedInSteps } from "../../domain/steps.ts";
import { TierMark } from "../charts/tier-mark.tsx";
import { count, counted, date } from "../format.ts";
import { shortened } from "../printed.ts";
import { componentColumns } from "../sections/attention.tsx";
import { DataTable } from "../sections/section.tsx";
import { inOrderOfWaiting } from "../waiting.ts";
import { Places, TIER_WORDS, TIERS } from "../words.ts";
import { type Rendered, renderDocument } from "./document.tsx";
import {
  type NumberLinks,
  type PropertyFigures,
  PropertyHeading,
  sectionsInSteps,
} from "./property-page.tsx";

/** Addresses as the page sees them. */
export type Addresses = { style: string; script: string; links: NumberLinks };

/** The page of a property. */
export function* renderPropertyPage(
  figures: PropertyFigures,
  { style, script, links }: Addresses,
): Steps<Rendered> {
  const { name } = figures.property;
  const drawn: string[] = [];
  for (const section of yield* sectionsInSteps({ figures, links })) {
    yield;
    drawn.push(renderToString(section));
  }
  yield;
  const { html, ...page } = renderDocument({
    title: `${name}: condition`,
    style,
    script,
    printed: `${shortened(name)} · Property condition, ${date(figures.assessedAt)}`,
    children: (
      <main class="property">
        <PropertyHeading figures={figures} />
        {h("sections-here", null)}
        <footer class="small mute">
          <p>
            {TIERS.map((tier) => (
              <span class="legend">
                <TierMark tier={tier} /> {TIER_WORDS[tier].name}: {TIER_WORDS[tier].meaning}
              </span>
            ))}
          </p>
          <p>
            Scores are estimates from age, make, use and service records, by the methods of reliability
            engineering. They set priorities; they are no guarantee and no inspection. Costs are in US
            dollars.
          </p>
          <p class="screen">
            <button type="button" class="outline secondary" data-prints hidden>
              Print this report
            </button>
          </p>
        </footer>
      </main>
    ),
  });
  // Below it stands nothing that anybody wrote.
  const at = html.lastIndexOf(SECTIONS);
  return { ...page, html: html.slice(0, at) + drawn.join("") + html.slice(at + SECTIONS.length) };
}

/** Where the sections go that have been drawn one by one. */
const SECTIONS = "<sections-here></sections-here>";

export const ROWS_A_PAGE = 200;

/** Every component of a property, a page of them at a time, the dearest to wait for first. */
export function* renderComponentList(
  figures: Pick<PropertyFigures, "property" | "components" | "types" | "units">,
  page: number,
  { style, back }: { style: string; back: string },
): Steps<Rendered> {
  const places = new Places(figures.types, figures.units);
  const all = yield* sortedInSteps(figures.components, inOrderOfWaiting);
  const from = (page - 1) * ROWS_A_PAGE;
  const rows = all.slice(from, from + ROWS_A_PAGE);
  const title = `${figures.property.name}: every part`;
  return renderDocument({
    title,
    style,
    children: (
      <main class="property">
        <header class="heading">
          <div>
            <h1>Every part</h1>
            <p class="mute">
              <a href={back}>
                <bdi>{figures.property.name}</bdi>
              </a>
              {rows.length > 0 &&
                ` · ${count(from + 1)} to ${count(from + rows.length)} of ${count(all.length)}`}
            </p>
          </div>
        </header>
        <section class="card" aria-label="Parts">
          {rows.length === 0 ? (
            <p class="empty">There are no parts on this page.</p>
          ) : (
            <DataTable caption={title} rows={rows} columns={componentColumns(places)} />
          )}
        </section>
        <nav class="pages" aria-label="Pages">
          {page > 1 && <a href={`?page=${page - 1}`}>Earlier</a>}
          {from + rows.length < all.length && <a href={`?page=${page + 1}`}>Later</a>}
        </nav>
      </main>
    ),
  });
}

/** What went wrong, by the status of the refusal, and what to do about it. */
const REFUSALS: Readonly<Record<number, readonly [title: string, remedy: string]>> = {
  400: [
    "This address can’t be read",
    "A part of it was changed or said twice. Ask whoever gave it to you for it.",
  ],
  404: ["There is no page here", "A part of the address may be missing. Ask whoever gave it to you for it."],
  405: ["This page can only be read", "Open it by its address, as it was given to you."],
  429: ["This page was asked for too often", "It has been asked for many times from where you are."],
};

/** For what could not be answered with the page that was asked for. */
export function renderRefusal(refusal: {
  /** The style sheet itself. */
  rules: string;
  status: number;
  requestId: string;
  retryAfterS: number | undefined;
  /** The address that was asked for. */
  again: string;
}): Rendered {
  const { rules, status, requestId, retryAfterS, again } = refusal;
  const [title, remedy] = REFUSALS[status] ?? [
    "This page can’t be shown just now",
    "It is not you. If it stays so, tell whoever gave you the address.",
  ];
  const isPassing = status === 429 || status >= 500;
  return renderDocument({
    title,
    rules,
    children: (
      <main>
        <h1>{title}</h1>
        <p>
          {remedy}
          {isPassing &&
            (retryAfterS === undefined
              ? " Try again in a moment."
              : ` Try again in ${counted(retryAfterS, "second")}.`)}
        </p>
        {isPassing && (
          <p>
            <a href={again}>Try again</a>
          </p>
        )}
        {status >= 500 && <p class="mute">Request {requestId}</p>}
      </main>
    ),
  });
}

/** For a token that is unknown, has expired or was revoked: which of them is nobody's business. */
export function renderNoPage(style: string): Rendered {
  return renderDocument({
    title: "No page here",
    style,
    children: (
      <main class="property">
        <section class="card no-page">
          <h1>There is no page here</h1>
          <p>
            The link may have expired or been withdrawn, or a part of it is missing. Ask whoever gave it to
            you for a new one.
          </p>
        </section>
      </main>
    ),
  });
}
