import { expect, spyOn, test } from "bun:test";
import { httpHtmlErrorReplies } from "../../src/http/http-html-error-replies.ts";

const pages = httpHtmlErrorReplies("/base", { frameAncestors: [] });
const pageOf = async (path: string, status: number, id: string, wait?: string) => {
  const headers = { "content-type": "application/json", "x-request-id": id };
  const error = new Response("{}", { status, headers: { ...headers, ...(wait && { "retry-after": wait }) } });
  return (await pages(new Request(`http://x${path}`), error))!;
};

// Rule: embed-refusals
test("error pages of embeds are rendered once for each status and time to wait, with what each request needs", async () => {
  const first = await (await pageOf("/embed/property/a?b=1", 429, "one", "7")).text();
  expect(first).toContain('<a href="./a?b=1">Try again</a>');
  const hashed = spyOn(Bun.CryptoHasher.prototype, "digest");
  const hostile = await pageOf("/base/embed/x?q=%22{request-id}&{retry-url}<", 429, "two", "7");
  expect(hashed).not.toHaveBeenCalled();
  hashed.mockRestore();
  const [, href] = /<a href="([^"]*)">Try again<\/a>/.exec(await hostile.text())!;
  expect(href).toBe("./x?q=%22{request-id}&amp;{retry-url}%3C");
  expect(await (await pageOf("/embed/x", 429, "three", "1")).text()).toContain("Try again in 1 second.");
  for (const id of ["four", "five<"]) {
    const failed = await (await pageOf("/embed/x", 500, id)).text();
    expect(failed).toContain(`Request ID: ${id.replace("<", "&lt;")}`);
    expect(failed).toContain("Try again in a moment.");
  }
});
