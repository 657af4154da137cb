import { describe, expect, test } from "bun:test";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";

const { serve } = useMainstay();
const WELL_KNOWN = "/.well-known/oauth-authorization-server";
const metadata = async (server: Installation, path: string): Promise<Json> =>
  (await server.anonymous.get(path)).body;

describe("an OAuth client that knows only the issuer", () => {
  // Rule: oauth-metadata
  test("discovers the token endpoint and gets a token", async () => {
    const server = await serve();
    const { client_id, client_secret } = await server.createPartner("Acme");
    for (const issuer of [server.url, `${server.url}/api`]) {
      const { origin, pathname } = new URL(issuer);
      const found = await (await fetch(origin + WELL_KNOWN + pathname.replace(/\/$/, ""))).json();
      expect(found.issuer).toBe(issuer);
      const response = await fetch(found.token_endpoint, {
        method: "POST",
        headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
        body: new URLSearchParams({ grant_type: found.grant_types_supported[0] }),
      });
      expect([response.status, (await response.json()).scope]).toEqual([200, "read write"]);
    }
    expect(await metadata(server, `/api${WELL_KNOWN}`)).toEqual({
      issuer: `${server.url}/api`,
      token_endpoint: `${server.url}/api/oauth/token`,
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
      grant_types_supported: ["client_credentials"],
      response_types_supported: [],
      scopes_supported: ["read", "write"],
      service_documentation: `${server.url}/api/docs`,
    });
    expect(await metadata(server, `/v1${WELL_KNOWN}`)).toEqual(await metadata(server, WELL_KNOWN));
    await server.anonymous.ask("GET", `${WELL_KNOWN}/other`, 404);
  });

  // Rule: oauth-metadata
  test("gets the URL that the operator has set, from any address", async () => {
    const server = await serve({ server: { public_url: "https://risk.example.com:8443/mainstay/" } });
    const root = "https://risk.example.com:8443/mainstay";
    expect(await metadata(server, `${WELL_KNOWN}/mainstay`)).toMatchObject({
      issuer: root,
      token_endpoint: `${root}/oauth/token`,
    });
    expect(await metadata(server, `/api${WELL_KNOWN}`)).toMatchObject({ issuer: root });
    expect(await metadata(server, WELL_KNOWN)).toMatchObject({
      issuer: "https://risk.example.com:8443",
      token_endpoint: `${root}/oauth/token`,
    });
  });
});
