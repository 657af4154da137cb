import { useCallback, useEffect, useState } from "preact/hooks";
import { ApiFailure } from "./browser-api-failure.ts";

/** The state of loading a value: the last value loaded, and the failure of the last attempt. */
export type LoadState<T> = {
  value?: T;
  failure?: ApiFailure;
  isLoading: boolean;
  reload: () => void;
};

type Loaded<T> = { subject: string; key: string; value?: T; failure?: ApiFailure; isLoading: boolean };

/**
 * Loads a value, and again when `key` changes or `reload` is called. The value for the same subject, which is the key unless
 * another is given, stays until a new one is loaded.
 */
export function useLoad<T>(key: string, load: () => Promise<T>, subject = key): LoadState<T> {
  const [state, setState] = useState<Loaded<T>>({ subject, key, isLoading: true });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    setState((previous) => ({
      ...(previous.subject === subject && previous),
      subject,
      key,
      isLoading: true,
    }));
    load().then(
      (value) => isCurrent && setState({ subject, key, value, isLoading: false }),
      (thrown: unknown) =>
        isCurrent && setState((previous) => ({ ...previous, failure: toFailure(thrown), isLoading: false })),
    );
    return () => {
      isCurrent = false;
    };
  }, [subject, key, attempt]);
  const reload = useCallback(() => setAttempt((previous) => previous + 1), []);
  if (state.subject !== subject) return { isLoading: true, reload };
  const { value, failure } = state;
  const isLoading = state.isLoading || state.key !== key;
  return { ...(value !== undefined && { value }), ...(failure && { failure }), isLoading, reload };
}

/** Shows an error of the page itself like one of the server, and reports it to the console. */
function toFailure(thrown: unknown): ApiFailure {
  if (thrown instanceof ApiFailure) return thrown;
  reportError(thrown);
  return new ApiFailure("server", "This page could not be displayed.");
}
