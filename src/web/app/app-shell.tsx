import type { ComponentChildren } from "preact";
import { hrefTo, type Route } from "../browser/browser-route.ts";
import { formatPageCount, formatPageWholeNumber } from "../page/page-format.ts";
import { isAppCallLimitLow } from "./app-call-cost.ts";
import { useApp, useAppRerenderOnChange } from "./app-context.ts";
import { AppPortfolioSearch } from "./app-search.tsx";

const AREAS = [
  { segment: "", name: "Overview" },
  { segment: "properties", name: "Properties" },
  { segment: "actions", name: "Actions" },
  { segment: "alerts", name: "Alerts" },
  { segment: "deliveries", name: "Deliveries" },
] as const;

/** The area of the navigation to which a route belongs, if it is not an area itself. */
const AREA_OF: Readonly<Record<string, string>> = {
  appliances: "properties",
  components: "properties",
  import: "properties",
  schedule: "",
};

/** The frame of every page: navigation, and the number of API calls. */
export function AppShell({ route, children }: { route: Route; children: ComponentChildren }) {
  const { api, signOut } = useApp();
  const [first = ""] = route.segments;
  const area = AREA_OF[first] ?? first;
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")!.focus()}>
        Skip to main content
      </button>
      <header class="top">
        <div class="inner">
          <a class="brand" href={hrefTo([])}>
            Mainstay
          </a>
          <nav aria-label="Areas">
            {AREAS.map(({ segment, name }) => (
              <a
                href={hrefTo(segment === "" ? [] : [segment])}
                aria-current={area === segment ? "page" : undefined}
              >
                {name}
              </a>
            ))}
          </nav>
          <AppPortfolioSearch />
          <button type="button" class="plain sign-out" onClick={signOut}>
            Sign out
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer class="foot small muted">
        <div class="inner">
          <CallUsage />
          <p>
            <a href={`${api.root}/docs`}>API reference</a>
          </p>
        </div>
      </footer>
    </>
  );
}

function CallUsage() {
  const { api } = useApp();
  useAppRerenderOnChange(api);
  const { callLimit, rateLimitedUntil } = api;
  return (
    <p class="call-usage">
      {callLimit && isAppCallLimitLow(callLimit) && (
        <span>
          <strong>{formatPageWholeNumber(callLimit.remaining)}</strong> of{" "}
          {formatPageCount(callLimit.limit, "API call")} left today
        </span>
      )}
      {rateLimitedUntil !== undefined && <span role="status">Waiting for the rate limit…</span>}
    </p>
  );
}
