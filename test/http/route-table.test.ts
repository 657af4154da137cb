import { expect, test } from "bun:test";
import { httpOperationPaths, type Operation } from "../../src/http/http-operation.ts";
import { adminApiOperations } from "../../src/http/routes/admin-api-routes.ts";
import { consoleOperations, consoleRootOperation } from "../../src/http/routes/console-routes.ts";
import { embedOperations } from "../../src/http/routes/embeds-routes.ts";
import { metricsOperation } from "../../src/http/routes/metrics-routes.ts";
import { partnerApiOperations } from "../../src/http/routes/partner-api-routes.ts";
import { portfolioAppOperation } from "../../src/http/routes/portfolio-app-routes.ts";
import { embeddedKnowledge } from "../../src/knowledge/embedded-knowledge.ts";
import { RevisionCaches } from "../../src/usecases/revision-caches/revision-caches.ts";
import {
  ADMIN_ROUTES,
  EMBED_ROUTES,
  OPEN_ROUTES,
  PARTNER_OPERATIONS,
  SESSION_ROUTES,
} from "../support/routes.ts";

const unused = {} as never;
const operations: Operation[] = [
  ...partnerApiOperations({
    knowledge: embeddedKnowledge(),
    address: { publicUrl: "", basePath: "", isSecure: false },
  } as Parameters<typeof partnerApiOperations>[0]),
  ...embedOperations({
    store: unused,
    knowledge: unused,
    frameAncestors: [],
    gate: unused,
    onView: unused,
    caches: new RevisionCaches(0),
  }),
  portfolioAppOperation({ frameAncestors: [] }),
  ...adminApiOperations({ knowledge: embeddedKnowledge(), partnersReachIt: false } as Parameters<
    typeof adminApiOperations
  >[0]),
  consoleRootOperation(),
  ...consoleOperations(unused),
  metricsOperation(unused),
];
const served = (access: Operation["access"]) =>
  operations
    .filter((operation) => operation.access === access)
    .map((operation) => `${operation.method} ${httpOperationPaths(operation).at(-1)}`);
const named = (routes: readonly { method: string; path: string }[]) =>
  routes.map(({ method, path }) => `${method} ${path}`);

test("the tests of credentials know every route, with the credential that it requires", () => {
  expect(named(PARTNER_OPERATIONS).toSorted()).toEqual(served("partner").toSorted());
  const admin = ADMIN_ROUTES.map(({ method, path }) => ({ method, path: `/console${path}` }));
  expect(named(admin).toSorted()).toEqual(served("admin").toSorted());
  const open = new Set([...named(SESSION_ROUTES), ...named(EMBED_ROUTES), ...named(OPEN_ROUTES)]);
  const documentedOpen = operations.filter(({ access, tag }) => access === "public" && tag !== undefined);
  for (const operation of documentedOpen)
    open.add(`${operation.method} ${httpOperationPaths(operation).at(-1)}`);
  expect([...open].toSorted()).toEqual([...new Set(served("public"))].toSorted());
});
