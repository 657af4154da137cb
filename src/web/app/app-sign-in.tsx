import { useId, useRef, useState } from "preact/hooks";
import { ApiFailure } from "../browser/browser-api-failure.ts";
import { formatPageCount } from "../page/page-format.ts";
import { useAppTitle } from "./app-context.ts";
import { type AppRejects, downloadAppRejects } from "./app-import-rejects.ts";
import { AppSession } from "./app-session.ts";

type CredentialType = "key" | "client";

/** Why a session ended, and the rows that were rejected on its page *Import*. */
export type SessionEnd = { reason: string; rejects: AppRejects | undefined };

/** The sign-in form. */
export function AppSignIn(props: {
  root: string;
  /** The end of the previous session, unless the reader signed out. */
  ended: SessionEnd | undefined;
  /** Verifies the session, and opens the app. Throws an ApiFailure if the credentials are invalid. */
  onSession: (session: AppSession) => Promise<void>;
}) {
  const { root, ended, onSession } = props;
  const [type, setType] = useState<CredentialType>("key");
  const [error, setError] = useState<string>();
  const [isSubmitting, setSubmitting] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useAppTitle("Sign in");

  const submit = async (event: Event) => {
    event.preventDefault();
    const data = new FormData(form.current!);
    const field = (name: string) => String(data.get(name) ?? "").trim();
    setSubmitting(true);
    setError(undefined);
    let session: AppSession | undefined;
    try {
      session =
        type === "key"
          ? AppSession.withKey(root, field("api_key"))
          : await AppSession.withClient(root, {
              clientId: field("client_id"),
              clientSecret: field("client_secret"),
            });
      await onSession(session);
    } catch (thrown) {
      session?.end();
      if (!(thrown instanceof ApiFailure)) throw thrown;
      setError(thrown.kind === "unauthenticated" ? ERROR_MESSAGES[type] : thrown.message);
      setSubmitting(false);
    }
  };

  return (
    <main class="sign-in" id="main" tabIndex={-1}>
      <section class="card">
        <p class="brand">Mainstay</p>
        <h1>Sign in to your portfolio</h1>
        {ended && <p role="alert">{ended.reason}</p>}
        {ended?.rejects && <RejectsOfSession rejects={ended.rejects} />}
        <form ref={form} onSubmit={submit}>
          <fieldset class="credential-types">
            <legend>Sign in with</legend>
            {(["key", "client"] as const).map((kind) => (
              <label>
                <input
                  type="radio"
                  name="credential-type"
                  value={kind}
                  checked={type === kind}
                  onChange={() => {
                    setType(kind);
                    setError(undefined);
                  }}
                />
                {kind === "key" ? "API key" : "Client ID and secret"}
              </label>
            ))}
          </fieldset>
          {type === "key" ? (
            <Field key="api_key" name="api_key" label="API key" isSecret />
          ) : (
            <>
              <Field key="client_id" name="client_id" label="Client ID" />
              <Field key="client_secret" name="client_secret" label="Client secret" isSecret />
            </>
          )}
          {error && <p role="alert">{error}</p>}
          <button type="submit" aria-busy={isSubmitting} disabled={isSubmitting}>
            {isSubmitting ? "Signing in…" : "Sign in"}
          </button>
        </form>
        <p class="small muted">
          Your credentials are stored only in this tab and are removed when you close it or sign out. Your
          administrator issues them.
        </p>
      </section>
      <p class="small muted sign-in-links">
        <a href={`${root}/docs`}>API reference</a>
      </p>
    </main>
  );
}

function RejectsOfSession({ rejects }: { rejects: AppRejects }) {
  return (
    <p>
      {formatPageCount(rejects.rejected.length, "row")} of <bdi>{rejects.file.name}</bdi>{" "}
      {rejects.rejected.length === 1 ? "was" : "were"} rejected so far.{" "}
      <button type="button" class="plain" onClick={() => downloadAppRejects(rejects)}>
        Download rejected rows (CSV)
      </button>{" "}
      If several rows are equal and have no serial, correct them in the original file instead, and import that
      whole.
    </p>
  );
}

const ERROR_MESSAGES: Readonly<Record<CredentialType, string>> = {
  key: "Invalid API key. Check that you copied the whole key and that it has not been replaced.",
  client: "Invalid client ID or secret. Check that you copied both and that they have not been replaced.",
};

function Field({ name, label, isSecret = false }: { name: string; label: string; isSecret?: boolean }) {
  const attributes = {
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
      {isSecret ? (
        <input id={id} type="password" {...attributes} />
      ) : (
        <input id={id} type="text" {...attributes} />
      )}
    </div>
  );
}
