import { useId, useState } from "preact/hooks";
import type { ConsoleSessionJson } from "../../wire/console-session.ts";
import { ApiFailure } from "../browser/api-failure.ts";
import { signIn } from "./admin-client.ts";
import { useTitle } from "./console-context.ts";

/** Asks for an administrator's key. */
export function SignIn(props: {
  /** Why the session before has ended. */
  why: string | undefined;
  onSession: (session: ConsoleSessionJson) => void;
}) {
  const { why, onSession } = props;
  const [refusal, setRefusal] = useState<string>();
  const [isTrying, setTrying] = useState(false);
  const id = useId();
  useTitle("Sign in");

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    setTrying(true);
    setRefusal(undefined);
    try {
      onSession(await signIn(String(given.get("admin_key")).trim()));
    } catch (thrown) {
      if (!(thrown instanceof ApiFailure)) throw thrown;
      setRefusal(thrown.message);
      setTrying(false);
    }
  };

  return (
    <main class="sign-in" id="main" tabIndex={-1}>
      <section class="card">
        <p class="brand">Mainstay</p>
        <h1>Console</h1>
        {why && <p role="alert">{why}</p>}
        <form onSubmit={(event) => void submit(event)}>
          <div>
            <label for={id}>Administrator’s key</label>
            <input
              {...{ id, name: "admin_key", type: "password", required: true }}
              {...{ autoComplete: "off", autoCapitalize: "none", spellcheck: false }}
              aria-invalid={refusal === undefined ? undefined : true}
            />
          </div>
          {refusal && <p role="alert">{refusal}</p>}
          <button type="submit" aria-busy={isTrying} disabled={isTrying}>
            {isTrying ? "Signing in…" : "Sign in"}
          </button>
        </form>
        <p class="small mute">
          The key stays out of the page’s reach once you are in. On the server’s machine,{" "}
          <code>mainstay admin create NAME</code> makes one.
        </p>
      </section>
    </main>
  );
}
