import { beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { operationsOf, readApiDocument } from "../support/api-document.ts";
import { useMainstay } from "../support/mainstay.ts";
import { consoleSteps } from "./manual.ts";
import { Reader } from "./reader.ts";

/*
 * Runs every command of README's console blocks in their order, from an empty folder to the last call of the API, and
 * compares what is printed with what README says.
 */

const { install } = useMainstay();
const steps = consoleSteps(readFileSync(join(import.meta.dir, "../../README.md"), "utf8"));
const operations = operationsOf(readApiDocument());
const calls = steps.filter(({ command }) => command.startsWith("curl "));
let reader: Reader;
beforeAll(() => {
  const installation = install();
  reader = new Reader(installation, { samples: "samples/nyc-elevators", readsErrors: true });
  writeFileSync(join(installation.folder, "tank.jpg"), new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16]));
});

/** The operation of the API document that a command calls, by its method and path. */
function operationOf(command: string) {
  const [, base, path = ""] = /(\$API|http:\/\/127\.0\.0\.1:8080)(\/[^\s"?]*)/.exec(command)!;
  const method = /\s-[dF] /.test(command) ? "POST" : "GET";
  const full = base === "$API" || !path.startsWith("/v1/") ? `/v1${path}` : path;
  return operations.find(
    (at) => at.method === method && new RegExp(`^${at.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(full),
  )?.operation;
}

test("README calls each family of the API's operations, and a photo of its own", () => {
  const called = calls.map(({ command }) => operationOf(command));
  expect(called).not.toContain(undefined);
  const families = new Set(operations.map(({ operation }) => operation.tags[0]));
  // A demo property is what `mainstay demo` makes.
  families.delete("Onboarding");
  expect(new Set(called.map((operation) => operation!.tags[0]))).toEqual(families);
  expect(called.map((operation) => operation!.operationId)).toContain("createAppliancePhoto");
});

// Each rests on those before it: that they work in the order in which they stand is what is tested.
test.each(steps.map((step, i) => [i + 1, step.command.split("\n")[0]!, step] as const))(
  "README's command %d does and prints what README says: %s",
  async (_, __, step) => {
    await reader.follow(step);
  },
);
