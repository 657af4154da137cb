import { beforeAll, expect, test } from "bun:test";
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
