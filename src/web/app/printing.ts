import { useEffect } from "preact/hooks";
import { pageFooters } from "../printed.ts";

/** While it is shown, the page is printed with these words and its number at the foot. */
export function usePrinted(words: string, { isLandscape = false } = {}): void {
  useEffect(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(pageFooters(words, isLandscape));
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    };
  }, [words, isLandscape]);
}
