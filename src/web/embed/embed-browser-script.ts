import "../browser/browser-display-choice.ts";
import { h, render } from "preact";
import { enableBrowserChartReadouts } from "../browser/browser-chart-readouts.ts";
import {
  BUDGET_DATA_ID,
  BUDGET_PLANNER_ID,
  type BudgetPlannerProps,
  BudgetSectionSlider,
} from "../sections/budget-section.tsx";

/*
 * Enhances the property page, which is complete without scripts: selecting a component replaces its chart in place, the
 * budget planner gets a slider, and the report gets a print button.
 */

enableBrowserChartReadouts();

const container = document.getElementById(BUDGET_PLANNER_ID);
if (container) {
  const props: BudgetPlannerProps = JSON.parse(document.getElementById(BUDGET_DATA_ID)!.textContent!);
  container.replaceChildren();
  render(h(BudgetSectionSlider, props), container);
}

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-prints]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}

document.addEventListener("change", ({ target }) => {
  if (target instanceof HTMLSelectElement) target.form?.requestSubmit();
});

document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  const sectionId = form.dataset.replaces;
  if (sectionId === undefined) return;
  event.preventDefault();
  void replaceSection(form, sectionId);
});

/** The request of each section, which a later one of the same section ends. */
const requests = new Map<string, AbortController>();

/** Loads the page with the form's values, and replaces one of its sections. */
async function replaceSection(form: HTMLFormElement, sectionId: string): Promise<void> {
  const url = new URL(location.href);
  for (const [name, value] of new FormData(form)) url.searchParams.set(name, String(value));
  requests.get(sectionId)?.abort();
  const request = new AbortController();
  requests.set(sectionId, request);
  document.getElementById(sectionId)!.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(url, { headers: { accept: "text/html" }, signal: request.signal });
    if (!response.ok) throw new Error(String(response.status));
    const fresh = new DOMParser()
      .parseFromString(await response.text(), "text/html")
      .getElementById(sectionId);
    if (!fresh) throw new Error(`no section ${sectionId}`);
    const section = document.getElementById(sectionId)!;
    const focused = document.activeElement;
    const name = section.contains(focused) && focused?.getAttribute("name");
    section.replaceWith(document.adoptNode(fresh));
    history.replaceState(null, "", url);
    if (name) fresh.querySelector<HTMLElement>(`[name="${CSS.escape(name)}"]`)?.focus();
  } catch {
    if (request.signal.aborted) return;
    document.getElementById(sectionId)!.removeAttribute("aria-busy");
    showError(form, "This section could not be loaded. Try again in a moment.");
  }
}

function showError(form: HTMLFormElement, message: string): void {
  const alert = form.parentElement!.querySelector<HTMLElement>("[role=alert]") ?? document.createElement("p");
  alert.setAttribute("role", "alert");
  alert.textContent = message;
  form.after(alert);
}
