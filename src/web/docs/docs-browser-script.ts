/* The script of the documentation. Without it, everything can be read; only copying and filtering need it. */

for (const block of document.querySelectorAll(".code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code")!.textContent!);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
  block.append(button);
}

const contents = document.querySelector<HTMLDetailsElement>(".contents")!;
const wide = matchMedia("(min-width: 60rem)");
const openWhereWide = () => {
  contents.open = wide.matches;
};
wide.addEventListener("change", openWhereWide);
openWhereWide();
contents.addEventListener("click", (event) => {
  if (!wide.matches && event.target instanceof HTMLAnchorElement) contents.open = false;
});

const find = contents.querySelector<HTMLElement>(".find")!;
find.hidden = false;
find.querySelector("input")!.addEventListener("input", ({ target }) => {
  const words = (target as HTMLInputElement).value.trim().toLowerCase();
  for (const section of contents.querySelectorAll<HTMLElement>("section")) {
    const name = section.querySelector("h2")!.textContent!.toLowerCase();
    let shown = 0;
    for (const item of section.querySelectorAll("li")) {
      item.hidden = !`${name} ${item.textContent}`.toLowerCase().includes(words);
      if (!item.hidden) shown++;
    }
    section.hidden = shown === 0;
  }
});

// A link to a webhook event opens it.
const openTarget = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener("hashchange", openTarget);
openTarget();
