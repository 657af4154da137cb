import { render } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { ConsoleSessionJson } from "../../wire/console-session.ts";
import { useLoaded } from "../browser/loaded.ts";
import { usePlace } from "../browser/place.ts";
import { Failed, Loading } from "../browser/states.tsx";
import { Toasts, toast } from "../browser/toasts.tsx";
import { AdminClient, readSession } from "./admin-client.ts";
import { ConsoleContext } from "./console-context.ts";
import { Pages } from "./pages.tsx";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";

const ENDED =
  "The session has ended: its time was over, its key was revoked, or the server was started anew.";

function Console() {
  const known = useLoaded("session", readSession);
  const [session, setSession] = useState<ConsoleSessionJson>();
  const [why, setWhy] = useState<string>();
  const place = usePlace();
  useEffect(() => {
    if (known.value?.signed_in) setSession(known.value);
  }, [known.value]);
  const end = useCallback((reason?: string) => {
    setWhy(reason);
    setSession(undefined);
  }, []);
  const world = useMemo(() => {
    if (!session) return undefined;
    const api = new AdminClient(session, () => end(ENDED));
    const signOut = () =>
      void api.write("POST", "/session/end").then(
        () => end(),
        (thrown) => toast(String(thrown.message), { isFailure: true }),
      );
    return { api, signOut };
  }, [session, end]);
  useEffect(() => {
    scrollTo(0, 0);
    // What was read out was the last page; a reader of screens is told where the new one begins.
    if (document.activeElement === document.body)
      document.getElementById("main")?.focus({ preventScroll: true });
  }, [place.parts.join("/")]);

  if (world)
    return (
      <ConsoleContext.Provider value={world}>
        <Shell place={place}>
          <Pages place={place} />
        </Shell>
        <Toasts />
      </ConsoleContext.Provider>
    );
  if (known.value || why !== undefined)
    return known.value?.signed_in && why === undefined && session !== undefined ? null : (
      <SignIn
        why={why}
        onSession={(signedIn) => {
          setWhy(undefined);
          setSession(signedIn);
        }}
      />
    );
  return (
    <main class="sign-in">
      {known.failure ? (
        <Failed failure={known.failure} again={known.again} isPage />
      ) : (
        <Loading what="the console" isPage />
      )}
    </main>
  );
}

const root = document.getElementById("console")!;
root.replaceChildren();
render(<Console />, root);
