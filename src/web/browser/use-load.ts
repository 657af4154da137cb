import { useCallback, useEffect, useState } from "preact/hooks";
import { ApiFailure } from "./api-failure.ts";

/** The state of loading a value: the last value loaded, and the failure of the last attempt. */
export type LoadState<T> = {
  value?: T;
  failure?: ApiFailure;
  isLoading: boolean;
  reload: () => void;
};

/** Loads a value, and again when `key` changes or `again` is called. The value for the same key stays until a new one is loaded. */
export function useLoad<T>(key: string, load: () => Promise<T>): LoadState<T> {
  const [state, setState] = useState<{ key: string; value?: T; failure?: ApiFailure; isLoading: boolean }>({
    key,
    isLoading: true,
  });
  const [attempt, setAttempt] = useState(0);
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
  }, [key, attempt]);
  const again = useCallback(() => setAttempt((before) => before + 1), []);
  if (state.key !== key) return { isLoading: true, reload: again };
  const { value, failure, isLoading } = state;
  return { ...(value !== undefined && { value }), ...(failure && { failure }), isLoading, reload: again };
}

/** Shows an error of the page itself like one of the server, and reports it to the console. */
function failureOfLoad(thrown: unknown): ApiFailure {
  if (thrown instanceof ApiFailure) return thrown;
  reportError(thrown);
  return new ApiFailure("server", "This page could not be displayed.");
}
