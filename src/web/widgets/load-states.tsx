import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ApiFailure, FailureKind } from "../browser/browser-api-failure.ts";
import type { LoadState } from "../browser/use-load.ts";

/** Shows a loaded value, or that it is loading, or why it could not be loaded. */
export function LoadedContent<T>(props: {
  loaded: LoadState<T>;
  /** The name of the value, as in "Loading the alerts". */
  what: string;
  /** The value is the page itself, so that its heading is missing until it is loaded. */
  isPage?: boolean;
  children: (value: T) => ComponentChildren;
}) {
  const { loaded, what, isPage = false, children } = props;
  const { value, failure, reload } = loaded;
  if (value === undefined && failure)
    return <FailureMessage failure={failure} onRetry={reload} isPage={isPage} />;
  if (value === undefined) return <LoadingMessage what={what} isPage={isPage} />;
  return (
    <>
      {failure && <StaleNotice failure={failure} onRetry={reload} />}
      {children(value)}
    </>
  );
}

/** A progress message, shown only if loading takes noticeably long, so that nothing flickers. */
export function LoadingMessage({ what, isPage = false }: { what: string; isPage?: boolean }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 250);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="loading" role="status">
      {isPage && <h1 class="visually-hidden">Loading</h1>}
      {isLate && (
        <>
          <span class="pulse" aria-hidden="true" />
          <span>Loading {what}…</span>
        </>
      )}
    </div>
  );
}

const TITLES: Readonly<Record<FailureKind, string>> = {
  unauthenticated: "Your session has ended",
  not_found: "Not found",
  rate_limited: "Rate limit reached",
  daily_limit_reached: "Daily API call limit reached",
  conflict: "Not possible now",
  rejected: "Request rejected",
  too_large: "Too large",
  server: "Server error",
  offline: "No connection",
};

const ADVICE: Readonly<Record<FailureKind, string>> = {
  unauthenticated: "Sign in to continue.",
  not_found: "It may have been deleted, or you may not have access.",
  rate_limited: "Wait one minute, then try again.",
  daily_limit_reached: "The limit resets at midnight UTC. Ask your administrator to raise it.",
  conflict: "See the message above, and try again.",
  rejected: "See the message above, correct the request and try again.",
  too_large: "See the message above, and send less at a time.",
  server: "Try again. If it continues, contact your administrator and quote the request ID.",
  offline: "Check your connection and try again. Pages loaded earlier are still available.",
};

/** The failure of loading, and what the reader can do. */
export function FailureMessage(props: { failure: ApiFailure; onRetry?: () => void; isPage?: boolean }) {
  const { failure, onRetry, isPage = false } = props;
  const { kind, message, requestId } = failure;
  const Title = isPage ? "h1" : "h2";
  return (
    <section class="card failed" role="alert">
      <Title>{TITLES[kind]}</Title>
      <p>{message}</p>
      <p class="muted">{ADVICE[kind]}</p>
      {requestId && kind === "server" && <p class="small muted">Request ID: {requestId}</p>}
      {onRetry && kind !== "not_found" && (
        <p>
          <button type="button" onClick={onRetry}>
            Try again
          </button>
        </p>
      )}
    </section>
  );
}

/** A notice above data that could not be refreshed. */
function StaleNotice({ failure, onRetry }: { failure: ApiFailure; onRetry: () => void }) {
  return (
    <p class="stale" role="alert">
      <span>{TITLES[failure.kind]}. Showing the last loaded data.</span>
      <button type="button" class="outline" onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}

/** The message in place of an empty list. */
export function EmptyState(props: { title: string; isPage?: boolean; children?: ComponentChildren }) {
  const { title, isPage = false, children } = props;
  const Title = isPage ? "h1" : "h2";
  return (
    <section class="card empty-state">
      <Title>{title}</Title>
      {children}
    </section>
  );
}
