import type { ComponentChildren } from "preact";
import { addressOf, type Place } from "../browser/place.ts";
import { count, counted } from "../format.ts";
import { useApp, useWatched } from "./app-context.ts";

const AREAS = [
  { part: "", name: "Overview" },
  { part: "properties", name: "Properties" },
  { part: "alerts", name: "Alerts" },
  { part: "deliveries", name: "Deliveries" },
] as const;

/** To which area of the navigation a place belongs. */
const AREA_OF: Readonly<Record<string, string>> = {
  appliances: "properties",
  components: "properties",
  schedule: "",
};

/** What stands around every page: where one is, and what the calls have cost. */
export function Shell({ place, children }: { place: Place; children: ComponentChildren }) {
  const { api, signOut } = useApp();
  const [first = ""] = place.parts;
  const area = AREA_OF[first] ?? first;
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")!.focus()}>
        To the page
      </button>
      <header class="top">
        <div class="inner">
          <a class="brand" href={addressOf([])}>
            Mainstay
          </a>
          <nav aria-label="Areas">
            {AREAS.map(({ part, name }) => (
              <a
                href={addressOf(part === "" ? [] : [part])}
                aria-current={area === part ? "page" : undefined}
              >
                {name}
              </a>
            ))}
          </nav>
          <button type="button" class="plain sign-out" onClick={signOut}>
            Sign out
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer class="foot small mute">
        <div class="inner">
          <Spent />
          <p>
            <a href={`${api.root}/docs`}>API reference</a>
          </p>
        </div>
      </footer>
    </>
  );
}

function Spent() {
  const { api } = useApp();
  useWatched(api);
  const { budget, calls, waitsUntil } = api;
  return (
    <p class="spent">
      {budget && (
        <span>
          <strong>{count(budget.remaining)}</strong> of {counted(budget.limit, "call")} left today
        </span>
      )}
      <span>{counted(calls, "call")} made by this page</span>
      {waitsUntil !== undefined && <span role="status">Waiting for a free minute…</span>}
    </p>
  );
}
