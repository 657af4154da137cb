import { useId, useState } from "preact/hooks";
import type { ConsoleSessionJson } from "../../api-schemas/console-session-schema.ts";
import { ApiFailure } from "../browser/browser-api-failure.ts";
import { fetchConsoleSession } from "./console-admin-client.ts";
import { useConsoleTitle } from "./console-context.ts";

/** Signs an administrator in by key. */
export function ConsoleSignIn(props: {
  /** Explains why the previous session ended; undefined if there was none. */
  endReason: string | undefined;
  onSession: (session: ConsoleSessionJson) => void;
}) {
  const { endReason, onSession } = props;
  const [error, setError] = useState<string>();
  const [isSigningIn, setSigningIn] = useState(false);
  const id = useId();
  useConsoleTitle("Sign in");

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setSigningIn(true);
    setError(undefined);
    try {
      onSession(await fetchConsoleSession(String(form.get("admin_key")).trim()));
    } catch (thrown) {
      if (!(thrown instanceof ApiFailure)) throw thrown;
      setError(thrown.message);
      setSigningIn(false);
    }
  };

  return (
    <main class="sign-in" id="main" tabIndex={-1}>
      <section class="card">
        <p class="brand">Mainstay</p>
        <h1>Console</h1>
        {endReason && <p role="alert">{endReason}</p>}
        <form onSubmit={(event) => void submit(event)}>
          <div>
            <label for={id}>Administrator key</label>
            <input
              id={id}
              name="admin_key"
              type="password"
              required
              autoComplete="off"
              autoCapitalize="none"
              spellcheck={false}
              aria-invalid={error === undefined ? undefined : true}
            />
          </div>
          {error && <p role="alert">{error}</p>}
          <button type="submit" aria-busy={isSigningIn} disabled={isSigningIn}>
            {isSigningIn ? "Signing in…" : "Sign in"}
          </button>
        </form>
        <p class="small muted">
          Your key is not stored in the browser. To create one, run <code>mainstay admin create NAME</code> on
          the server.
        </p>
      </section>
    </main>
  );
}
