import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Installation, useMainstay } from "../support/mainstay.ts";

const { serve } = useMainstay();
let server: Installation;
beforeAll(async () => {
  server = await serve();
});

// Rule: openapi-document, openapi-and-version
test("the document is the same bytes from the command line and from the server, under the base path or not", async () => {
  const { stdout } = await server.run("openapi");
  for (const path of ["/v1/openapi.json", "/api/v1/openapi.json"])
    expect((await server.anonymous.get(path)).text).toBe(stdout);
});

// Rule: root-to-docs
test("the reader's page and all that it asks for come from the server itself, and need no credential", async () => {
  for (const base of ["", "/api"]) {
    const page = await server.anonymous.get(`${base}/docs`);
    const asked = [...page.text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => path!);
    expect(asked.length).toBeGreaterThan(0);
    for (const path of asked) {
      expect(path).not.toMatch(/^(https?:)?\/\//);
      expect((await server.anonymous.get(`${base}/${path}`)).text.length).toBeGreaterThan(100);
    }
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  }
});

// Rule: root-to-docs
test("the root leads to the reader's page", async () => {
  const { headers } = await server.anonymous.get("/", {}, 302);
  expect(headers.get("location")).toBe("docs");
});

describe("the guide", () => {
  test.each(["", "/api"])(
    "is served at %s/docs/guide, with every webhook event and the programs it speaks of",
    async (base) => {
      const page = await server.anonymous.get(`${base}/docs/guide`);
      const { body: document } = await server.anonymous.get("/v1/openapi.json");
      expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
      const policy = page.headers.get("content-security-policy")!;
      expect(policy).toContain("style-src 'self';");
      expect(policy).not.toContain("unsafe");
      for (const event of Object.keys(document["x-webhooks"])) expect(page.text).toContain(`>${event}</h3>`);
      const links = [...page.text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address!);
      expect(links.length).toBeGreaterThan(4);
      for (const link of links) {
        if (link.startsWith("data:") || link.startsWith("http")) continue;
        if (link.startsWith("#")) expect(page.text).toContain(` id="${link.slice(1)}"`);
        else await server.anonymous.get(new URL(link, `http://x${base}/docs/guide`).pathname);
      }
      // As they stand in the sources: what is written there is run by tests.
      for (const name of ["webhooks.ts", "webhooks.py", "walk-events.sh", "verify-webhook.sh"])
        expect((await server.anonymous.get(`${base}/docs/examples/${name}`)).text).toBe(
          readFileSync(join(import.meta.dir, "../../docs/examples", name), "utf8"),
        );
    },
  );

  test("has no program of another name", async () => {
    await server.anonymous.ask("GET", "/docs/examples/nothing.ts", 404);
    await server.anonymous.ask("GET", "/docs/examples/..%2f..%2fpackage.json", 404);
  });
});
