import { assetTable } from "../../web/assets/asset-table.ts";
import { consoleSession, consoleSessionView, signIn } from "../../wire/console-session.ts";
import {
  type ConsoleSessions,
  expiredCookie,
  rejectCrossSite,
  rejectForgedRequest,
  sessionCookie,
} from "../console-sessions.ts";
import { answers, CONSOLE, type Operation, ok, publicOperation } from "../operation.ts";
import { pageReply } from "../page-reply.ts";

export type ConsoleDeps = {
  sessions: ConsoleSessions;
  /** Whether partners reach the console too: then it shows no credential. */
  partnersReachIt: boolean;
  /** Whether the listener speaks TLS. */
  isSecure: () => boolean;
};

const NO_STORE = { "cache-control": "no-store" };

/** Where administrators have a listener of their own, its beginning leads to the console. */
export const consoleRootOperation = (): Operation =>
  publicOperation({
    id: "getAdminRoot",
    method: "GET",
    path: "/",
    summary: "The way to the console",
    handle: () => ({ status: 302, raw: null, headers: { location: CONSOLE.slice(1) } }),
  });

/** The console's page, and who is signed in at it. What it shows, it asks of the administrators' own operations. */
export function consoleOperations({ sessions, partnersReachIt, isSecure }: ConsoleDeps): Operation[] {
  const view = (session?: Parameters<typeof consoleSessionView>[0]) =>
    consoleSessionView(session, !partnersReachIt);
  return [
    publicOperation({
      id: "getConsole",
      method: "GET",
      path: CONSOLE,
      summary: "The administrators' console",
      async handle(call) {
        const { renderConsole } = await import("../../web/console/document.tsx");
        const { fileOf } = await assetTable();
        const asset = (name: string) => `assets/${fileOf(name)}`;
        const rendered = renderConsole({ style: asset("console.css"), script: asset("console.js") });
        return pageReply({ frameAncestors: [] }, call, rendered);
      },
    }),
    publicOperation({
      id: "getConsoleSession",
      method: "GET",
      path: `${CONSOLE}/session`,
      summary: "Who is signed in at the console",
      replies: answers("Who, if anybody", consoleSession),
      handle: async ({ request }) => ({ ...ok(view(await sessions.find(request))), headers: NO_STORE }),
    }),
    publicOperation({
      id: "signInAtConsole",
      method: "POST",
      path: `${CONSOLE}/session`,
      summary: "Sign in at the console with an administrator's key",
      request: { type: signIn.type, example: { admin_key: "svc_admin_…" } },
      replies: answers("The session, whose token is in the cookie", consoleSession),
      body: "json",
      async handle({ body, request }) {
        rejectCrossSite(request);
        const { session, token } = await sessions.begin(signIn.parse(body).admin_key.trim());
        await sessions.end(request);
        const cookie = sessionCookie(request, token, isSecure());
        return { ...ok(view(session)), headers: { ...NO_STORE, "set-cookie": cookie } };
      },
    }),
    publicOperation({
      id: "signOutAtConsole",
      method: "POST",
      path: `${CONSOLE}/session/end`,
      summary: "Sign out at the console",
      replies: answers("Nobody is signed in", consoleSession),
      body: "optional",
      async handle({ request }) {
        const session = await sessions.find(request);
        if (session) rejectForgedRequest(request, session.csrfToken);
        await sessions.end(request);
        const headers = { ...NO_STORE, "set-cookie": expiredCookie(request, isSecure()) };
        return { ...ok(view()), headers };
      },
    }),
  ];
}
