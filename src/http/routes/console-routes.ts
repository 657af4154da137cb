import { consoleSession, serializeConsoleSession, signIn } from "../../api-schemas/console-session-schema.ts";
import { browserAssetTable } from "../../web/assets/browser-asset-table.ts";
import {
  type ConsoleSessions,
  expiredConsoleSessionCookie,
  httpConsoleSessionCookie,
  rejectCrossSiteRequest,
  rejectForgedRequest,
} from "../http-console-session-cookies.ts";
import { httpHtmlPageReply } from "../http-html-page-reply.ts";
import { CONSOLE, type Operation, okReplies, okReply, publicOperation } from "../http-operation.ts";
import { ADMIN_HEADERS } from "../http-responses.ts";

type ConsoleDeps = {
  sessions: ConsoleSessions;
  /** True if partners can reach the console, which then does not show credentials. */
  partnersReachIt: boolean;
  /** True if the listener uses TLS. */
  isSecure: () => boolean;
};

/** Redirects the root of a separate administrator listener to the console. */
export const consoleRootOperation = (): Operation =>
  publicOperation({
    id: "getAdminRoot",
    method: "GET",
    path: "/",
    summary: "Redirect to the console",
    handle: () => ({ status: 302, raw: null, headers: { location: CONSOLE.slice(1) } }),
  });

/** The console's page and sessions. The page gets its data from the admin API. */
export function consoleOperations({ sessions, partnersReachIt, isSecure }: ConsoleDeps): Operation[] {
  const view = (session?: Parameters<typeof serializeConsoleSession>[0]) =>
    serializeConsoleSession(session, !partnersReachIt);
  return [
    publicOperation({
      id: "getConsole",
      method: "GET",
      path: CONSOLE,
      summary: "Get the operator console",
      async handle(call) {
        const { renderConsole } = await import("../../web/console/console-document.tsx");
        const { fileOf } = await browserAssetTable();
        const asset = (name: string) => `assets/${fileOf(name)}`;
        const rendered = renderConsole({ style: asset("console.css"), script: asset("console.js") });
        const page = httpHtmlPageReply({ frameAncestors: [] }, call, rendered);
        return { ...page, headers: { ...page.headers, ...ADMIN_HEADERS } };
      },
    }),
    publicOperation({
      id: "getConsoleSession",
      method: "GET",
      path: `${CONSOLE}/session`,
      summary: "Get the console session",
      replies: okReplies("The session, also if nobody is signed in", consoleSession),
      handle: async ({ request }) => okReply(view(await sessions.find(request))),
    }),
    publicOperation({
      id: "signInAtConsole",
      method: "POST",
      path: `${CONSOLE}/session`,
      summary: "Sign in to the console",
      request: { type: signIn.type, example: { admin_key: "svc_admin_…" } },
      replies: okReplies("The session; its token is in the cookie", consoleSession),
      body: "json",
      async handle({ body, request }) {
        rejectCrossSiteRequest(request);
        const { session, token } = await sessions.begin(signIn.parse(body).admin_key.trim());
        await sessions.end(request);
        const cookie = httpConsoleSessionCookie(request, token, isSecure());
        return { ...okReply(view(session)), headers: { "set-cookie": cookie } };
      },
    }),
    publicOperation({
      id: "signOutAtConsole",
      method: "POST",
      path: `${CONSOLE}/session/end`,
      summary: "Sign out of the console",
      replies: okReplies("The session has ended", consoleSession),
      body: "optional",
      async handle({ request }) {
        const session = await sessions.find(request);
        if (session) rejectForgedRequest(request, session.csrfToken);
        await sessions.end(request);
        return {
          ...okReply(view()),
          headers: { "set-cookie": expiredConsoleSessionCookie(request, isSecure()) },
        };
      },
    }),
  ];
}
