import { render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiClient } from "../browser/api-client.ts";
import { addressOf, usePlace } from "../browser/place.ts";
import { Toasts } from "../browser/toasts.tsx";
import { PartAddress } from "../sections/part-name.tsx";
import { AppContext } from "./app-context.ts";
import { Pages } from "./pages.tsx";
import { PortfolioLoader } from "./portfolio-loader.ts";
import { Session } from "./session.ts";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";

/** Where the API stands: the page is at `/embed/app` of it, whatever it is put behind. */
const ROOT = location.pathname.replace(/\/embed\/app\/?$/, "");

function App() {
  const [session, setSession] = useState(() => Session.resumed(ROOT));
  const [why, setWhy] = useState<string>();
  const place = usePlace();
  const world = useMemo(() => {
    if (!session) return undefined;
    const end = (reason?: string) => {
      session.end();
      setWhy(reason);
      setSession(undefined);
    };
    const api = new ApiClient(
      ROOT,
      () => session.headers(),
      () => end(session.whyEnded),
    );
    return { api, portfolio: new PortfolioLoader(api), signOut: () => end() };
  }, [session]);
  useEffect(() => {
    scrollTo(0, 0);
    // What was read out was the last page; a reader of screens is told where the new one begins.
    if (document.activeElement === document.body)
      document.getElementById("main")?.focus({ preventScroll: true });
  }, [place.parts.join("/")]);
  if (!world)
    return (
      <SignIn
        root={ROOT}
        why={why}
        onSession={(signedIn) => {
          setWhy(undefined);
          setSession(signedIn);
        }}
      />
    );
  return (
    <AppContext.Provider value={world}>
      <PartAddress.Provider value={addressOfPart}>
        <Shell place={place}>
          <Pages place={place} />
        </Shell>
      </PartAddress.Provider>
      <Toasts />
    </AppContext.Provider>
  );
}

const addressOfPart = (id: string) => addressOf(["components", id]);

const root = document.getElementById("app")!;
root.replaceChildren();
render(<App />, root);
