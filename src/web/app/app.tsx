import "../browser/browser-display-choice.ts";
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiClient } from "../browser/browser-api-client.ts";
import { enableBrowserChartReadouts } from "../browser/browser-chart-readouts.ts";
import { hrefTo, useRoute } from "../browser/browser-route.ts";
import { type RecordsApi, RecordsContext } from "../records/page-records-context.ts";
import { ComponentHref } from "../sections/section-component-name.tsx";
import { Toasts } from "../widgets/toasts.tsx";
import { useAppCallCost } from "./app-call-cost.ts";
import { AppContext, type AppServices } from "./app-context.ts";
import type { AppRejects } from "./app-import-rejects.ts";
import { AppRouter } from "./app-pages.tsx";
import { AppPortfolioLoader, portfolioPath } from "./app-portfolio-loader.ts";
import { AppSession } from "./app-session.ts";
import { AppShell } from "./app-shell.tsx";
import { AppSignIn, type SessionEnd } from "./app-sign-in.tsx";

/** The base path of the API, derived from the address of the page, `<base path>/embed/app`. */
const ROOT = location.pathname.replace(/\/embed\/app\/?$/, "");

type SignedIn = AppServices & { session: AppSession; records: RecordsApi };

function App() {
  const route = useRoute();
  const [ended, setEnded] = useState<SessionEnd>();
  const kept = useRef<AppRejects | undefined>(undefined);
  const [signedIn, setSignedIn] = useState(() => {
    const restored = AppSession.restored(ROOT);
    return restored && connect(restored);
  });
  const current = useRef(signedIn);
  const show = (next: SignedIn | undefined, end?: SessionEnd) => {
    current.current = next;
    setEnded(end);
    setSignedIn(next);
  };

  /** The dependencies of a session. */
  function connect(session: AppSession): SignedIn {
    const end = (reason?: string) => {
      if (current.current?.session !== session) return;
      session.end();
      show(undefined, reason === undefined ? undefined : { reason, rejects: kept.current });
    };
    const api = new ApiClient(
      ROOT,
      () => session.headers(),
      () => end(session.endMessage),
    );
    const portfolio = new AppPortfolioLoader(api);
    return {
      session,
      api,
      portfolio,
      records: recordsOf(api, portfolio),
      signOut: () => end(),
      keepAtSignOut: (rejects) => {
        kept.current = rejects;
      },
    };
  }

  useEffect(() => {
    scrollTo(0, 0);
    // Moves screen readers to the start of the new page.
    if (document.activeElement === document.body)
      document.getElementById("main")?.focus({ preventScroll: true });
  }, [route.segments.join("/"), signedIn]);
  if (!signedIn)
    return (
      <AppSignIn
        root={ROOT}
        ended={ended}
        onSession={async (session) => {
          const next = connect(session);
          // Verifies the credentials with a call that the first page needs anyway.
          await next.api.read(portfolioPath(0));
          show(next);
        }}
      />
    );
  return (
    <AppContext.Provider value={signedIn}>
      <RecordsContext.Provider value={signedIn.records}>
        <ComponentHref.Provider value={componentHref}>
          <AppShell route={route}>
            <AppRouter route={route} />
          </AppShell>
        </ComponentHref.Provider>
      </RecordsContext.Provider>
      <Toasts />
    </AppContext.Provider>
  );
}

const recordsOf = (api: ApiClient, portfolio: AppPortfolioLoader): RecordsApi => ({
  read: (path) => api.read(`/v1${path}`),
  readNow: (path) => api.readNow(`/v1${path}`),
  write: (method, path, body) => api.write(method, `/v1${path}`, body),
  propertiesPath: (q) => `/properties?${new URLSearchParams({ limit: "8", ...(q !== "" && { q }) })}`,
  onChanged: () => void portfolio.reload(),
  home: ["Properties", hrefTo(["properties"])],
  siteName: "Mainstay",
  useApiCallCost: useAppCallCost,
});

const componentHref = (id: string) => hrefTo(["components", id]);

enableBrowserChartReadouts();
const root = document.getElementById("app")!;
root.replaceChildren();
render(<App />, root);
