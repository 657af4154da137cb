import { firstCells, marked, readManual } from "../docs/manual.ts";
import { type OperationAt, operationsOf, readApiDocument } from "./api-document.ts";
import type { Method } from "./client.ts";
import type { RecordIds } from "./records.ts";

/*
 * The routes of the executable. The partners' are those of its API document, and the administrators' those of the
 * manual, whose table is compared with the sources. The others serve pages and sessions;
 * test/http/route-table.test.ts proves that none is missing.
 */

export type Route = { method: Method; path: string };

const documented = operationsOf(readApiDocument());

/** The operations that require a partner's credential. */
export const PARTNER_OPERATIONS: readonly OperationAt[] = documented.filter(
  ({ operation }) => operation.security?.length !== 0,
);

export const ADMIN_ROUTES: readonly Route[] = firstCells(marked(readManual(), "routes")).map((cell) => {
  const [method, path] = cell.split(" ");
  return { method: method as Method, path: path! };
});

/** The session of the console. Its other routes are those of administrators, below `/console`. */
export const SESSION_ROUTES: readonly Route[] = [
  { method: "GET", path: "/console/session" },
  { method: "POST", path: "/console/session" },
  { method: "POST", path: "/console/session/end" },
];

/** The pages and files that show one property to whoever has the token, and the form of its passcode. */
export const EMBED_ROUTES: readonly Route[] = [
  { method: "GET", path: "/embed/property/{token}" },
  { method: "POST", path: "/embed/property/{token}" },
  { method: "GET", path: "/embed/property/{token}/components" },
  { method: "GET", path: "/embed/property/{token}/schedule" },
  { method: "GET", path: "/embed/property/{token}/{file}" },
];

/** The addresses that show something of an embed. */
export const EMBED_PATHS: readonly string[] = EMBED_ROUTES.flatMap(({ method, path }) =>
  method === "GET" ? [path] : [],
);

/** The routes without a credential, beside those that the API document marks so. */
export const OPEN_ROUTES: readonly Route[] = [
  { method: "GET", path: "/" },
  { method: "GET", path: "/docs" },
  { method: "GET", path: "/docs/guide" },
  { method: "GET", path: "/docs/examples/{name}" },
  { method: "GET", path: "/assets/{file}" },
  { method: "GET", path: "/embed/app" },
  { method: "GET", path: "/console" },
  { method: "GET", path: "/metrics" },
];

/** The paths at which a partner's operation is served. */
export const pathsOf = ({ path, operation }: OperationAt): string[] => {
  const isAtRootToo = path === "/v1/uploads/{filename}" || operation.operationId === "createDemoProperty";
  return [path, `/api${path}`, ...(isAtRootToo ? [path.slice("/v1".length)] : [])];
};

/** The kind of record that an administrator's path names, by the prefix of its ID. */
const KINDS: Readonly<Record<string, string>> = {
  partners: "PARTNER_",
  "webhook-deliveries": "WH_",
  embeds: "EMB_",
  components: "C_",
  properties: "P_",
  property: "P_",
  claims: "CLM_",
  appliances: "A_",
  "service-events": "SE_",
  jobs: "job",
};

/** Returns an administrator's path with the IDs of records. */
export const adminPath = (path: string, ids: RecordIds): string =>
  path.replaceAll(/([\w-]+)\/\{\w+\}/g, (_, kind: string) => `${kind}/${ids[KINDS[kind]!]}`);

/** Returns the query that a list of administrators requires. */
export const adminQuery = (path: string, ids: RecordIds): string =>
  path === "/admin/components"
    ? `?partner_id=${ids.PARTNER_}`
    : path === "/admin/appliances"
      ? `?property_id=${ids.P_}`
      : path === "/admin/search"
        ? "?q=elm"
        : "";

/** Returns IDs of the same form that belong to no record. */
export const unknownIds = (ids: RecordIds): RecordIds =>
  Object.fromEntries(
    Object.entries(ids).map(([kind, id]) => [kind, id.replace(/(?<=^[A-Z]+_|^)[0-9a-z]{8}/, "00000000")]),
  );
