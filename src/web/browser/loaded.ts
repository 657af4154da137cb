import { useCallback, useEffect, useState } from "preact/hooks";
import { ApiFailure } from "./api-failure.ts";

/** What is being loaded: what there is of it, and how the last try for it went. */
export type Loaded<T> = {
  value?: T;
  failure?: ApiFailure;
  isLoading: boolean;
  again: () => void;
};

/**
 * Loads what `key` names, anew when that changes or when asked to. What was loaded before for the same key stays while
 * it is loaded again, also where that fails.
 */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; value?: T; failure?: ApiFailure; isLoading: boolean }>({
    key,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  // The key says what is loaded, the turn that it is wanted again.
  useEffect(() => {
    let isWanted = true;
    setState((before) => ({ ...(before.key === key && before), key, isLoading: true }));
    load().then(
      (value) => isWanted && setState({ key, value, isLoading: false }),
      (thrown: unknown) =>
        isWanted &&
        setState((before) => ({ ...before, key, failure: failureOfLoad(thrown), isLoading: false })),
    );
    return () => {
      isWanted = false;
    };
  }, [key, turn]);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  if (state.key !== key) return { isLoading: true, again };
  const { value, failure, isLoading } = state;
  return { ...(value !== undefined && { value }), ...(failure && { failure }), isLoading, again };
}

/** A fault of the page itself is shown as one of the server's would be, and reported to the console. */
function failureOfLoad(thrown: unknown): ApiFailure {
  if (thrown instanceof ApiFailure) return thrown;
  reportError(thrown);
  return new ApiFailure("server", "This page could not be put together.");
}
