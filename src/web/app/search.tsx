import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SearchJson, SearchResultJson } from "../../wire/search.ts";
import { ApiFailure } from "../browser/api-failure.ts";
import { hrefTo } from "../browser/route.ts";
import { codeLabel } from "../labels.ts";
import { useApp } from "./app-context.ts";

/** The time for which typing must rest before a text is searched: every search takes a call. */
const DEBOUNCE_MS = 200;

const hrefOf = ({ kind, id, property_id }: SearchResultJson) =>
  kind === "property"
    ? hrefTo(["properties", id])
    : kind === "claim"
      ? hrefTo(["properties", property_id, "claims"])
      : hrefTo([kind === "appliance" ? "appliances" : "components", id]);

/** A button, and the keys `/` and Ctrl-K, that open a search over the whole portfolio. */
export function Search() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
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
      {isOpen && <SearchDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function SearchDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const { found, failure } = useSearch(typed.trim());
  const id = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useEffect(() => setAt(0), [found]);
  const results = found?.results ?? [];
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
    if (event.key !== "Enter" || !chosen) return;
    event.preventDefault();
    location.hash = hrefOf(chosen);
    dialog.current?.close();
  };
  return (
    <dialog ref={dialog} class="search-dialog" aria-label="Search" onClose={onClose}>
      <div class="card">
        <input
          type="search"
          // biome-ignore lint/a11y/noRedundantRoles: without a list of the browser its role is another
          role="combobox"
          aria-label="Search properties, appliances, components and claims"
          aria-expanded={results.length > 0}
          list={undefined}
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen && `${id}-${results.indexOf(chosen)}`}
          placeholder="Name, address, serial or claim number, ID"
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
              key={result.id}
              role="option"
              id={`${id}-${index}`}
              aria-selected={result === chosen}
              class="search-result"
              onClick={() => {
                location.hash = hrefOf(result);
                dialog.current?.close();
              }}
            >
              <span>
                <bdi>{result.title}</bdi>
                <span class="small muted under">
                  <bdi>{result.detail}</bdi>
                </span>
              </span>
              <span class="small muted">{codeLabel(result.kind)}</span>
            </div>
          ))}
        </div>
        <p class="small muted" role="status">
          {failure ??
            (found && results.length === 0
              ? "Nothing begins with this. Try the start of a name, a street, a serial or claim number."
              : "Up and down choose, Enter opens, Escape closes. Each search uses 1 API call.")}
        </p>
      </div>
    </dialog>
  );
}

/** Searches for the text once typing rests. */
function useSearch(text: string) {
  const { api } = useApp();
  const [state, setState] = useState<{ found?: SearchJson; failure?: string }>({});
  useEffect(() => {
    let isCurrent = true;
    if (text === "") {
      setState({});
      return;
    }
    const timer = setTimeout(async () => {
      try {
        const found = await api.read<SearchJson>(`/v1/search?${new URLSearchParams({ q: text })}`);
        if (isCurrent) setState({ found });
      } catch (thrown) {
        if (!(thrown instanceof ApiFailure)) throw thrown;
        if (isCurrent) setState({ failure: thrown.message });
      }
    }, DEBOUNCE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text, api]);
  return state;
}
