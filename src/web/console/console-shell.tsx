import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { hrefTo, type Route } from "../browser/browser-route.ts";
import { useConsole } from "./console-context.ts";
import { GROUPS } from "./console-navigation.ts";
import { ConsoleSearch } from "./console-search.tsx";

/** The area to which a route belongs, if it is not an area itself. */
const AREA_OF: Readonly<Record<string, string>> = { properties: "book", appliances: "book" };

/** Frames every page with the navigation and the administrator's name. */
export function ConsoleShell({ route, children }: { route: Route; children: ComponentChildren }) {
  const { api, signOut } = useConsole();
  const [first = ""] = route.segments;
  const area = AREA_OF[first] ?? first;
  const areas = useRef<HTMLElement>(null);
  // On a phone the navigation is wider than the window: bring the current area into view.
  useEffect(() => {
    areas.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [area]);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")!.focus()}>
        Skip to main content
      </button>
      <header class="top">
        <div class="inner">
          <a class="brand" href={hrefTo([])}>
            Mainstay <span>console</span>
          </a>
          <ConsoleSearch />
          <nav aria-label="Areas" ref={areas}>
            {GROUPS.map((group) => (
              <div class="group">
                <p class="small muted">{group.name}</p>
                {group.areas.map(({ part, name }) => (
                  <a
                    href={hrefTo(part === "" ? [] : [part])}
                    aria-current={area === part ? "page" : undefined}
                  >
                    {name}
                  </a>
                ))}
              </div>
            ))}
          </nav>
          <p class="who small">
            <span class="muted">{api.session.name}</span>
            <button type="button" class="plain" onClick={signOut}>
              Sign out
            </button>
          </p>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

/** Renders a page's title with a short description; the children are the actions for the whole page. */
export function ConsoleHeading(props: {
  title: string;
  about?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const { title, about, children } = props;
  return (
    <header class="heading">
      <div>
        <h1>{title}</h1>
        {about && <p class="muted">{about}</p>}
      </div>
      {children}
    </header>
  );
}
