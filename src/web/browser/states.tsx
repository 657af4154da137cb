import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ApiFailure, FailureKind } from "./api-failure.ts";
import type { Loaded } from "./loaded.ts";

/** What is shown of something that is loaded: itself, that it is on its way, or what went wrong. */
export function Showing<T>(props: {
  loaded: Loaded<T>;
  /** What it is, as in "Loading the alerts". */
  what: string;
  /** Whether it is the page itself, whose heading comes with it. */
  isPage?: boolean;
  children: (value: T) => ComponentChildren;
}) {
  const { loaded, what, isPage = false, children } = props;
  const { value, failure, again } = loaded;
  if (value === undefined && failure) return <Failed failure={failure} again={again} isPage={isPage} />;
  if (value === undefined) return <Loading what={what} isPage={isPage} />;
  return (
    <>
      {failure && <Stale failure={failure} again={again} />}
      {children(value)}
    </>
  );
}

/** Said only when it takes long enough to be noticed, so that nothing flickers. */
export function Loading({ what, isPage = false }: { what: string; isPage?: boolean }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 250);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="waiting-for" role="status">
      {isPage && <h1 class="heard">Loading</h1>}
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
  signed_out: "You are signed out",
  not_found: "There is nothing here",
  too_fast: "Too many calls at once",
  budget_spent: "Today’s calls are used up",
  refused: "The server did not take this request",
  server: "The server could not answer",
  offline: "No connection",
};

const REMEDIES: Readonly<Record<FailureKind, string>> = {
  signed_out: "Sign in again to go on.",
  not_found: "It may have been removed, belong to another account, or a part of the address is missing.",
  too_fast: "Others use the same account now. Wait a minute, then try again.",
  budget_spent: "They are renewed at midnight UTC. Whoever runs the server can raise the limit.",
  refused: "What the server said is above. Go back, and try it another way.",
  server: "It is not you. Try again in a moment; if it stays so, tell whoever runs the server.",
  offline: "Check the connection, then try again. What was loaded before is still on the other pages.",
};

/** Instead of what could not be loaded: why, and what to do. */
export function Failed(props: { failure: ApiFailure; again?: () => void; isPage?: boolean }) {
  const { failure, again, isPage = false } = props;
  const { kind, message, requestId } = failure;
  const Title = isPage ? "h1" : "h2";
  return (
    <section class="card failed" role="alert">
      <Title>{TITLES[kind]}</Title>
      <p>{message}</p>
      <p class="mute">{REMEDIES[kind]}</p>
      {requestId && kind === "server" && <p class="small mute">Request {requestId}</p>}
      {again && kind !== "not_found" && (
        <p>
          <button type="button" onClick={again}>
            Try again
          </button>
        </p>
      )}
    </section>
  );
}

/** Above what was loaded before, when it could not be loaded again. */
function Stale({ failure, again }: { failure: ApiFailure; again: () => void }) {
  return (
    <p class="stale" role="alert">
      <span>{TITLES[failure.kind]}: this is what was loaded before.</span>
      <button type="button" class="outline" onClick={again}>
        Try again
      </button>
    </p>
  );
}

/** A list that holds nothing. */
export function Empty(props: { title: string; isPage?: boolean; children?: ComponentChildren }) {
  const { title, isPage = false, children } = props;
  const Title = isPage ? "h1" : "h2";
  return (
    <section class="card nothing">
      <Title>{title}</Title>
      {children}
    </section>
  );
}
