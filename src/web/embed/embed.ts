import { h, render } from "preact";
import { SPENDING_DATA, SPENDING_PLACE, type SpendingProps, SpendingSlider } from "../sections/spending.tsx";

/*
 * What scripts add to the property page, which is whole without them: the choice of a part changes its chart in place,
 * a budget can be tried with a slider, and the report can be printed by a button.
 */

const place = document.getElementById(SPENDING_PLACE);
if (place) {
  const given: SpendingProps = JSON.parse(document.getElementById(SPENDING_DATA)!.textContent!);
  place.replaceChildren();
  render(h(SpendingSlider, given), place);
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
  void replace(form, part);
});

/** Puts the part of the page that the form asks for in the place of the one that is there. */
async function replace(form: HTMLFormElement, part: string): Promise<void> {
  const address = new URL(location.href);
  for (const [name, value] of new FormData(form)) address.searchParams.set(name, String(value));
  const section = document.getElementById(part)!;
  section.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { headers: { accept: "text/html" } });
    if (!answer.ok) throw new Error(String(answer.status));
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(part);
    if (!fresh) throw new Error("the part is missing");
    section.replaceWith(document.adoptNode(fresh));
    history.replaceState(null, "", address);
    fresh.querySelector("select")?.focus();
  } catch {
    section.removeAttribute("aria-busy");
    tell(form, "This could not be loaded. The rest of the page still stands; try again in a moment.");
  }
}

function tell(form: HTMLFormElement, words: string): void {
  const said = form.parentElement!.querySelector<HTMLElement>("[role=alert]") ?? document.createElement("p");
  said.setAttribute("role", "alert");
  said.textContent = words;
  form.after(said);
}
