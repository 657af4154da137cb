import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { addressOf, type Place } from "../browser/place.ts";
import { useConsole } from "./console-context.ts";

const AREAS = [
  { part: "", name: "Overview" },
  { part: "partners", name: "Partners" },
  { part: "deliveries", name: "Deliveries" },
  { part: "components", name: "Components" },
  { part: "embeds", name: "Embeds" },
  { part: "snapshots", name: "Snapshots" },
  { part: "model", name: "Model" },
  { part: "jobs", name: "Jobs" },
  { part: "audit", name: "Audit" },
  { part: "settings", name: "Settings" },
] as const;

/** What stands around every page: where one is, and who. */
export function Shell({ place, children }: { place: Place; children: ComponentChildren }) {
  const { api, signOut } = useConsole();
  const [area = ""] = place.parts;
  const areas = useRef<HTMLElement>(null);
  // On a phone the areas are wider than the window.
  useEffect(() => {
    areas.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [area]);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")!.focus()}>
        To the page
      </button>
      <header class="top">
        <div class="inner">
          <a class="brand" href={addressOf([])}>
            Mainstay <span>console</span>
          </a>
          <nav aria-label="Areas" ref={areas}>
            {AREAS.map(({ part, name }) => (
              <a
                href={addressOf(part === "" ? [] : [part])}
                aria-current={area === part ? "page" : undefined}
              >
                {name}
              </a>
            ))}
          </nav>
          <p class="who small">
            <span class="mute">{api.session.name}</span>
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

/** A page's title, with a quiet line and what can be done to all of it. */
export function Heading(props: { title: string; about?: ComponentChildren; children?: ComponentChildren }) {
  const { title, about, children } = props;
  return (
    <header class="heading">
      <div>
        <h1>{title}</h1>
        {about && <p class="mute">{about}</p>}
      </div>
      {children}
    </header>
  );
}
