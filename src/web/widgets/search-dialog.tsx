import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiFailure } from "../browser/browser-api-failure.ts";
import { pageCodeLabel } from "../page/page-code-labels.ts";
import { formatPageCount } from "../page/page-format.ts";

/** The time for which typing must rest before a text is searched: every search takes a call. */
const DEBOUNCE_MS = 200;

/** Something that a search has found, with the address of its page. */
export type SearchHit = { href: string; title: string; detail: string; kind: string };

type SearchProps = {
  /** The label of the field, and the example in it. */
  label: string;
  placeholder: string;
  /** Shown before there are results, and if there are none. */
  hint: string | undefined;
  nothing: string;
  /** Throws an ApiFailure. */
  search: (text: string) => Promise<readonly SearchHit[]>;
};

/** A button, and the keys `/` and Ctrl-K, that open a search over everything. */
export function SearchButton(props: SearchProps) {
  const [isOpen, setOpen] = useState(false);
  // An effect would miss a key before the next frame.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest("input, select, textarea");
      const isChord = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
      const isSlash = event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!(isChord || isSlash) || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <button
        type="button"
        class="plain search-button"
        aria-haspopup="dialog"
        aria-keyshortcuts="/ Control+K"
        title="Search (/ or Ctrl-K)"
        onClick={() => setOpen(true)}
      >
        Search
      </button>
      {isOpen && <SearchDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function SearchDialog(props: SearchProps & { onClose: () => void }) {
  const { label, placeholder, hint = "", nothing, search, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const { found, foundFor, failure } = useSearch(search, typed.trim());
  const id = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  // An effect would undo an arrow key before the next frame.
  useLayoutEffect(() => setAt(0), [found]);
  useEffect(() => {
    dialog.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const results = found ?? [];
  const chosen = results[Math.min(at, results.length - 1)];
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && results.length > 0) {
      event.preventDefault();
      setAt((at + step + results.length) % results.length);
    }
    // A search field would first clear its text.
    if (event.key === "Escape") {
      event.preventDefault();
      dialog.current?.close();
    }
    // The results of an earlier text are not opened.
    if (event.key !== "Enter" || !chosen || foundFor !== typed.trim()) return;
    event.preventDefault();
    location.hash = chosen.href;
    dialog.current?.close();
  };
  return (
    <dialog ref={dialog} class="search-dialog" aria-label="Search" onClose={onClose}>
      <div class="card">
        <input
          type="search"
          // biome-ignore lint/a11y/noRedundantRoles: without a list of the browser its role is another
          role="combobox"
          aria-label={label}
          aria-expanded={results.length > 0}
          list={undefined}
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen && `${id}-${results.indexOf(chosen)}`}
          placeholder={placeholder}
          autoFocus
          maxLength={100}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <div role="listbox" id={`${id}-list`} aria-label="Results" class="search-results">
          {results.map((result, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: as above
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
            <div
              role="option"
              id={`${id}-${index}`}
              aria-selected={result === chosen}
              class="search-result"
              onClick={() => {
                location.hash = result.href;
                dialog.current?.close();
              }}
            >
              <span>
                <bdi>{result.title}</bdi>
                <span class="small muted under">
                  <bdi>{result.detail}</bdi>
                </span>
              </span>
              <span class="small muted">{pageCodeLabel(result.kind)}</span>
            </div>
          ))}
        </div>
        <p class="small muted" role="status">
          {failure ??
            (found && results.length === 0
              ? nothing
              : `${found ? `${formatPageCount(results.length, "result")}. ` : ""}Use the arrow keys to select, Enter to open, Escape to close. ${hint}`.trim())}
        </p>
      </div>
    </dialog>
  );
}

/** Searches for the text once typing rests. */
function useSearch(search: SearchProps["search"], text: string) {
  const [state, setState] = useState<{ found?: readonly SearchHit[]; foundFor?: string; failure?: string }>(
    {},
  );
  const latest = useRef(search);
  latest.current = search;
  useEffect(() => {
    let isCurrent = true;
    if (text === "") {
      setState({});
      return;
    }
    const timer = setTimeout(async () => {
      try {
        const found = await latest.current(text);
        if (isCurrent) setState({ found, foundFor: text });
      } catch (thrown) {
        if (!(thrown instanceof ApiFailure)) throw thrown;
        if (isCurrent) setState({ failure: thrown.message });
      }
    }, DEBOUNCE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);
  return state;
}
