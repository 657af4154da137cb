import { useEffect } from "preact/hooks";
import { pagePrintFooterCss } from "../page/page-print-footer.ts";

/** Prints a title and the page number in the footer of each page, while the component is mounted. */
export function usePrintFooter(title: string, { isLandscape = false } = {}): void {
  useEffect(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(pagePrintFooterCss(title, isLandscape));
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter(
        (adoptedStyleSheet) => adoptedStyleSheet !== sheet,
      );
    };
  }, [title, isLandscape]);
}
