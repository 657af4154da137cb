import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";

const { serve } = useMainstay();
let server: Installation;
beforeAll(async () => {
  server = await serve();
});

// Rule: openapi-document, openapi-and-version
test("the document has the same bytes from the command line and the server, with and without the base path", async () => {
  const { stdout } = await server.run("openapi");
  for (const path of ["/v1/openapi.json", "/api/v1/openapi.json"])
    expect((await server.anonymous.get(path)).text).toBe(stdout);
});

// Rule: root-to-docs
test("the reference page loads everything from the server, without credentials", async () => {
  for (const base of ["", "/api"]) {
    const page = await server.anonymous.get(`${base}/docs`);
    const asked = [...page.text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => path!);
    const [own, others] = [
      asked.filter((path) => path.startsWith("#")),
      asked.filter((path) => !/^#|^data:/.test(path)),
    ];
    expect(others.length).toBeGreaterThan(4);
    for (const path of new Set(others)) {
      expect(path).not.toMatch(/^(https?:)?\/\//);
      expect((await server.anonymous.get(`${base}/${path}`)).text.length).toBeGreaterThan(100);
    }
    for (const path of new Set(own)) expect(page.text).toContain(` id="${path.slice(1)}"`);
    const policy = page.headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
  }
});

// Rule: openapi-document
test("the reference page shows every operation with its parameters and fields, without a script", async () => {
  const { text } = await server.anonymous.get("/docs");
  const { body: document } = await server.anonymous.get("/v1/openapi.json");
  for (const [path, methods] of Object.entries<Json>(document.paths))
    for (const [method, operation] of Object.entries<Json>(methods)) {
      const [, section] = text.split(`<section class="operation" id="${operation.operationId}">`);
      const shown = section!.split("</section>")[0]!;
      expect(shown).toContain(`>${method.toUpperCase()}</span> <code>/v1${path}</code>`);
      for (const { name } of operation.parameters ?? [])
        if (name) expect(shown).toContain(`<code>${name}</code>`);
      expect(shown).toContain("curl ");
    }
  for (const [name, { properties }] of Object.entries<Json>(document.components.schemas)) {
    const shown = text.split(`id="schema-${name}"`)[1]!.split("</section>")[0]!;
    for (const field of Object.keys(properties ?? {})) expect(shown).toContain(`<code>${field}</code>`);
  }
});

test("a browser gets a page for an unknown address, and other clients JSON", async () => {
  for (const base of ["", "/api"]) {
    const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    const page = await fetch(`${server.url}${base}/nothing/here`, { headers: { accept } });
    const text = await page.text();
    expect(page.status).toBe(404);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("x-request-id")).not.toBeNull();
    expect(text).not.toContain("nothing/here");
    for (const [, address] of text.matchAll(/href="(\/[^"]+)"/g)) {
      expect(address).toStartWith(`${base}/`);
      await server.anonymous.get(address!);
    }
    for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.5"]) {
      const { body } = await server.anonymous.ask("GET", `${base}/nothing`, 404, { headers: { accept } });
      expect(body.code).toBe("not_found");
    }
  }
  const { body } = await server.anonymous.ask("POST", "/nothing", 404, { headers: { accept: "text/html" } });
  expect(body.code).toBe("not_found");
});

// Rule: webhook-document
test("the reference page shows every webhook event with its payload", async () => {
  const { text } = await server.anonymous.get("/docs");
  const { body: document } = await server.anonymous.get("/v1/openapi.json");
  const webhooks = Object.entries<Json>(document["x-webhooks"]);
  expect(webhooks).toHaveLength(10);
  for (const [event, { post }] of webhooks) {
    const { example } = post.requestBody.content["application/json"];
    const [, shown] = text.split(`<details id="webhook-${event}">`);
    const [, code] = /<code>([^<]*)<\/code><\/pre>/.exec(shown!)!;
    expect(JSON.parse(code!.replaceAll("&#34;", '"'))).toEqual(example);
  }
});

// Rule: closed-sets
test("the known types of claims and sensor events are listed, and others are allowed", async () => {
  const { schemas } = (await server.anonymous.get("/v1/openapi.json")).body.components;
  const { ClaimType, SmartEventType, NewClaim, SmartEvent, FlatSmartEvent } = schemas;
  expect(ClaimType.anyOf[0].enum).toHaveLength(16);
  expect(ClaimType.anyOf[0].enum).toContain("water_damage");
  expect(SmartEventType.anyOf[0].enum).toHaveLength(27);
  expect(SmartEventType.anyOf[0].enum).toContain("refrigerant_low");
  for (const { anyOf } of [ClaimType, SmartEventType])
    for (const type of [...anyOf[0].enum, "something_else"])
      expect(type).toMatch(new RegExp(anyOf[1].pattern));
  const named = (name: string) => [{ $ref: `#/components/schemas/${name}` }];
  expect(NewClaim.properties.claim_type.allOf).toEqual(named("ClaimType"));
  for (const { properties } of [SmartEvent, FlatSmartEvent])
    expect(properties.event_type.allOf).toEqual(named("SmartEventType"));
});

// Rule: root-to-docs
test("the root redirects to the reference page", async () => {
  const { headers } = await server.anonymous.get("/", {}, 302);
  expect(headers.get("location")).toBe("docs");
});

describe("the guide", () => {
  test.each(["", "/api"])(
    "is served at %s/docs/guide, with every webhook event and example program",
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
      // Unchanged from the sources, which other tests run.
      for (const name of readdirSync(join(import.meta.dir, "../../docs/examples")))
        expect((await server.anonymous.get(`${base}/docs/examples/${name}`)).text).toBe(
          readFileSync(join(import.meta.dir, "../../docs/examples", name), "utf8"),
        );
    },
  );

  test("has no other example programs", async () => {
    await server.anonymous.ask("GET", "/docs/examples/nothing.ts", 404);
    for (const name of ["..%2f..%2fpackage.json", "__proto__", "constructor", "toString", "%zz"])
      for (const folder of ["docs/examples", "assets"])
        await server.anonymous.ask("GET", `/${folder}/${name}`, 404);
  });
});
