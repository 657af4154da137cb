import { type RenderedPage, renderPageDocument } from "../page/page-document.tsx";
import { formatPageCount } from "../page/page-format.ts";
import { brandCss, EmbedBrandBar, type PageBrand } from "./embed-brand.tsx";

/** The reason why the form is shown again: a wrong passcode, or too many attempts. */
export type PasscodeProblem = "wrong" | { waitS: number };

/** Renders the form for the passcode of an embed. `action` is the address of its page. */
export function renderEmbedPasscodePage(page: {
  style: string;
  action: string;
  problem: PasscodeProblem | undefined;
  brand: PageBrand;
}): RenderedPage {
  const { style, action, problem, brand } = page;
  return renderPageDocument({
    title: "Enter the passcode",
    style,
    moreCss: brandCss(brand),
    children: (
      <main class="property">
        <section class="card no-page passcode">
          <EmbedBrandBar brand={brand} />
          <h1>Enter the passcode</h1>
          <p>This report is protected. The person who shared this link has the passcode.</p>
          <form method="post" action={action}>
            <label for="passcode">Passcode</label>
            <input
              id="passcode"
              name="passcode"
              type="password"
              required
              autoComplete="off"
              aria-invalid={problem === "wrong" ? "true" : undefined}
              aria-describedby={problem && "problem"}
            />
            {problem && (
              <p id="problem" role="alert">
                {problem === "wrong"
                  ? "This passcode is wrong. Check it and try again."
                  : `Too many attempts. Try again in ${formatPageCount(problem.waitS, "second")}.`}
              </p>
            )}
            <button type="submit">Open the report</button>
          </form>
        </section>
      </main>
    ),
  });
}
