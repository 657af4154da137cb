import { h, render } from "preact";
import {
  BUDGET_DATA_ID,
  BUDGET_PLANNER_ID,
  type BudgetPlannerProps,
  BudgetSlider,
} from "../sections/budget-planner.tsx";

/*
 * Enhances the property page, which is complete without scripts: selecting a component replaces its chart in place, the
 * budget planner gets a slider, and the report gets a print button.
 */

const place = document.getElementById(BUDGET_PLANNER_ID);
if (place) {
  const given: BudgetPlannerProps = JSON.parse(document.getElementById(BUDGET_DATA_ID)!.textContent!);
  place.replaceChildren();
  render(h(BudgetSlider, given), place);
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
  const part = form.dataset.replaces;
  if (part === undefined) return;
  event.preventDefault();
  void replaceSection(form, part);
});

/** Loads the page with the form's values, and replaces one of its sections. */
async function replaceSection(form: HTMLFormElement, part: string): Promise<void> {
  const address = new URL(location.href);
  for (const [name, value] of new FormData(form)) address.searchParams.set(name, String(value));
  const section = document.getElementById(part)!;
  section.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { headers: { accept: "text/html" } });
    if (!answer.ok) throw new Error(String(answer.status));
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(part);
    if (!fresh) throw new Error(`no section ${part}`);
    section.replaceWith(document.adoptNode(fresh));
    history.replaceState(null, "", address);
    fresh.querySelector("select")?.focus();
  } catch {
    section.removeAttribute("aria-busy");
    showError(form, "This section could not be loaded. Try again in a moment.");
  }
}

function showError(form: HTMLFormElement, words: string): void {
  const said = form.parentElement!.querySelector<HTMLElement>("[role=alert]") ?? document.createElement("p");
  said.setAttribute("role", "alert");
  said.textContent = words;
  form.after(said);
}
