import { beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { operationsOf, readApiDocument } from "../support/api-document.ts";
import { useMainstay } from "../support/mainstay.ts";
import { consoleSteps } from "./manual.ts";
import { Reader } from "./reader.ts";

/*
 * Runs every command in the console blocks of README and of the tour of the API, in order, from an empty folder to the
 * last call, and compares the output with the text.
 */

const { install } = useMainstay();
const texts = ["README.md", "docs/api-tour.md"].map((name) =>
  readFileSync(join(import.meta.dir, "../..", name), "utf8"),
);
const steps = texts.flatMap(consoleSteps);
const operations = operationsOf(readApiDocument());
const calls = steps.filter(({ command }) => command.startsWith("curl "));
let reader: Reader;
beforeAll(() => {
  const installation = install();
  reader = new Reader(installation, { samples: "samples/nyc-elevators", readsErrors: true });
  writeFileSync(join(installation.folder, "tank.jpg"), new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16]));
});

/** Returns the operation of the API document that a command calls, by its method and path. */
function operationOf(command: string) {
  const [, base, path = ""] = /(\$API|http:\/\/127\.0\.0\.1:8080)(\/[^\s"?]*)/.exec(command)!;
  const method = /\s-[dF] /.test(command) ? "POST" : "GET";
  const full = base === "$API" || !path.startsWith("/v1/") ? `/v1${path}` : path;
  return operations.find(
    (at) => at.method === method && new RegExp(`^${at.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(full),
  )?.operation;
}

test("the tour calls an operation of each tag of the API, and uploads a photo", () => {
  const called = calls.map(({ command }) => operationOf(command));
  expect(called).not.toContain(undefined);
  const families = new Set(operations.map(({ operation }) => operation.tags[0]));
  // `mainstay demo` creates a demo property.
  families.delete("Onboarding");
  expect(new Set(called.map((operation) => operation!.tags[0]))).toEqual(families);
  expect(called.map((operation) => operation!.operationId)).toContain("createAppliancePhoto");
});

// Each command depends on those before it: the test proves that they work in this order.
test.each(steps.map((step, i) => [i + 1, step.command.split("\n")[0]!, step] as const))(
  "command %d prints what the text says: %s",
  async (_, __, step) => {
    await reader.follow(step);
  },
);
