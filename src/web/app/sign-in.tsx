import { useId, useRef, useState } from "preact/hooks";
import { ApiFailure } from "../browser/api-failure.ts";
import { useTitle } from "./app-context.ts";
import { Session } from "./session.ts";

type Way = "key" | "client";

/** Asks for what opens the API. */
export function SignIn(props: {
  root: string;
  /** Why the session before has ended. */
  why: string | undefined;
  /** Tries the session; throws an ApiFailure where it opens nothing. */
  onSession: (session: Session) => Promise<void>;
}) {
  const { root, why, onSession } = props;
  const [way, setWay] = useState<Way>("key");
  const [refusal, setRefusal] = useState<string>();
  const [isTrying, setTrying] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useTitle("Sign in");

  const submit = async (event: Event) => {
    event.preventDefault();
    const given = new FormData(form.current!);
    const field = (name: string) => String(given.get(name) ?? "").trim();
    setTrying(true);
    setRefusal(undefined);
    let session: Session | undefined;
    try {
      session =
        way === "key"
          ? Session.withKey(root, field("api_key"))
          : await Session.withClient(root, {
              clientId: field("client_id"),
              clientSecret: field("client_secret"),
            });
      await onSession(session);
    } catch (thrown) {
      session?.end();
      if (!(thrown instanceof ApiFailure)) throw thrown;
      setRefusal(thrown.kind === "signed_out" ? REFUSALS[way] : thrown.message);
      setTrying(false);
    }
  };

  return (
    <main class="sign-in" id="main" tabIndex={-1}>
      <section class="card">
        <p class="brand">Mainstay</p>
        <h1>Your portfolio</h1>
        {why && <p role="alert">{why}</p>}
        <form ref={form} onSubmit={submit}>
          <fieldset class="ways">
            <legend>Sign in with</legend>
            {(["key", "client"] as const).map((one) => (
              <label>
                <input
                  type="radio"
                  name="way"
                  value={one}
                  checked={way === one}
                  onChange={() => {
                    setWay(one);
                    setRefusal(undefined);
                  }}
                />
                {one === "key" ? "An API key" : "A client id and secret"}
              </label>
            ))}
          </fieldset>
          {way === "key" ? (
            <Field key="api_key" name="api_key" label="API key" isSecret />
          ) : (
            <>
              <Field key="client_id" name="client_id" label="Client id" />
              <Field key="client_secret" name="client_secret" label="Client secret" isSecret />
            </>
          )}
          {refusal && <p role="alert">{refusal}</p>}
          <button type="submit" aria-busy={isTrying} disabled={isTrying}>
            {isTrying ? "Signing in…" : "Sign in"}
          </button>
        </form>
        <p class="small mute">
          It is kept for this tab alone, and forgotten when the tab is closed or you sign out. Whoever runs
          the server gives out keys.
        </p>
      </section>
      <p class="small mute beside">
        <a href={`${root}/docs`}>API reference</a>
      </p>
    </main>
  );
}

const REFUSALS: Readonly<Record<Way, string>> = {
  key: "This key opens nothing. Check that it is whole, and not one that was replaced.",
  client:
    "This client id and secret open nothing. Check that both are whole, and not ones that were replaced.",
};

function Field({ name, label, isSecret = false }: { name: string; label: string; isSecret?: boolean }) {
  const plain = {
    name,
    required: true,
    autoComplete: "off",
    autoCapitalize: "none",
    spellcheck: false,
  } as const;
  const id = useId();
  return (
    <div>
      <label for={id}>{label}</label>
      {isSecret ? <input id={id} type="password" {...plain} /> : <input id={id} type="text" {...plain} />}
    </div>
  );
}
