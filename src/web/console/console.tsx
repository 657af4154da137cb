import "../browser/browser-display-choice.ts";
import { render } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { ConsoleSessionJson } from "../../api-schemas/console-session-schema.ts";
import { enableBrowserChartReadouts } from "../browser/browser-chart-readouts.ts";
import { hrefTo, useRoute } from "../browser/browser-route.ts";
import { useLoad } from "../browser/use-load.ts";
import { type RecordsApi, RecordsContext } from "../records/page-records-context.ts";
import { ComponentHref } from "../sections/section-component-name.tsx";
import { FailureMessage, LoadingMessage } from "../widgets/load-states.tsx";
import { showToast, Toasts } from "../widgets/toasts.tsx";
import { AdminClient, fetchConsolePageSession } from "./console-admin-client.ts";
import { ConsoleContext } from "./console-context.ts";
import { ConsoleRouter } from "./console-pages.tsx";
import { ConsoleShell } from "./console-shell.tsx";
import { ConsoleSignIn } from "./console-sign-in.tsx";

const SESSION_ENDED =
  "Your session has ended because it expired, the key was revoked or the server restarted.";

function Console() {
  const current = useLoad("session", fetchConsolePageSession);
  /** The session since the page was loaded; null once it has ended. */
  const [changed, setSession] = useState<ConsoleSessionJson | null>();
  const [endReason, setEndReason] = useState<string>();
  const route = useRoute();
  // A sign-in form for a moment would take what somebody types meanwhile, so it is drawn once there is no session.
  const session = changed === undefined && current.value?.signed_in ? current.value : changed;
  const end = useCallback((reason?: string) => {
    setEndReason(reason);
    setSession(null);
  }, []);
  const state = useMemo(() => {
    if (!session) return undefined;
    const api = new AdminClient(session, () => end(SESSION_ENDED));
    const signOut = () =>
      void api.write("POST", "/session/end").then(
        () => end(),
        (thrown) => showToast(String(thrown.message), { isFailure: true }),
      );
    return { api, signOut, records: recordsOf(api) };
  }, [session, end]);
  useEffect(() => {
    scrollTo(0, 0);
    // Moves a screen reader from the previous page to the start of the new one.
    if (document.activeElement === document.body)
      document.getElementById("main")?.focus({ preventScroll: true });
  }, [route.segments.join("/")]);

  if (state)
    return (
      <ConsoleContext.Provider value={state}>
        <RecordsContext.Provider value={state.records}>
          <ComponentHref.Provider value={componentHref}>
            <ConsoleShell route={route}>
              <ConsoleRouter route={route} />
            </ConsoleShell>
          </ComponentHref.Provider>
        </RecordsContext.Provider>
        <Toasts />
      </ConsoleContext.Provider>
    );
  if (current.value || session === null)
    return (
      <ConsoleSignIn
        endReason={endReason}
        onSession={(signedIn) => {
          setEndReason(undefined);
          setSession(signedIn);
        }}
      />
    );
  return (
    <main class="sign-in">
      {current.failure ? (
        <FailureMessage failure={current.failure} onRetry={current.reload} isPage />
      ) : (
        <LoadingMessage what="the console" isPage />
      )}
    </main>
  );
}

/** The records of any partner, below `/admin`. */
const recordsOf = (api: AdminClient): RecordsApi => ({
  read: (path) => api.read(`/admin${path}`),
  readNow: (path) => api.read(`/admin${path}`),
  write: (method, path, body) => api.write(method, `/admin${path}`, body),
  propertiesPath: (q, { partner_id }) =>
    `/book/properties?${new URLSearchParams({ limit: "8", ...(partner_id && { partner_id }), ...(q !== "" && { q }) })}`,
  onChanged: () => {},
  home: ["Book", hrefTo(["book"])],
  siteName: "Mainstay console",
  useApiCallCost: () => () => undefined,
});

const componentHref = (id: string) => hrefTo(["components", id]);

enableBrowserChartReadouts();
const root = document.getElementById("console")!;
root.replaceChildren();
render(<Console />, root);
