import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Command, loadCommandModule } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/command-list.ts";
import { isSettingKey } from "../../src/config/settings.ts";
import { adminApiOperations } from "../../src/http/routes/admin-api-routes.ts";
import { embeddedKnowledge } from "../../src/knowledge/embedded-knowledge.ts";
import { firstCells, MANUAL, marked, RENEW, readManual } from "./manual.ts";
import { withSettings } from "./settings-tables.ts";

const manual = readManual();

test("the tables of settings are those of config.example.toml", () => {
  if (withSettings(manual) !== manual) throw new Error(`docs/operating.md is stale. Renew it with: ${RENEW}`);
});

test("the table of administrators' routes has each of them, and no other", () => {
  const operations = adminApiOperations({
    knowledge: embeddedKnowledge(),
    partnersReachIt: false,
  } as Parameters<typeof adminApiOperations>[0]);
  const served = operations.map(({ method, path }) => `${method} ${path}`);
  expect(firstCells(marked(manual, "routes")).toSorted()).toEqual(served.toSorted());
});

test("every setting in the text exists", () => {
  const sections = /^(server|admin|storage|limits|snapshot|webhooks|costs|backup|embed|log|rm)\.[a-z_]+$/;
  const named = [...manual.matchAll(/`([\w.]+)(?: = [^`]*)?`/g)].map(([, name]) => name!);
  expect(named.filter((name) => sections.test(name) && !isSettingKey(name))).toEqual([]);
});

test("every command in the text exists", async () => {
  const commands = await Promise.all(COMMANDS.map(loadCommandModule));
  const known = new Set(
    commands.flatMap((one) =>
      "commands" in one ? one.commands.map(({ name }) => `${one.name} ${name}`) : [one.name],
    ),
  );
  const groups = new Set(commands.flatMap((one) => ("commands" in one ? [one.name] : [])));
  // Searches only code: in prose, any word may follow "mainstay".
  const named = [...manual.matchAll(/(?:`|^\$ )mainstay ([a-z]+)(?: ([a-z-]+))?/gm)].map(([, word, next]) =>
    groups.has(word!) ? `${word} ${next}` : word!,
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test("the example of a build job is valid YAML and uses existing options", async () => {
  const [, text] = /^```yaml\n(name: mainstay\n[\s\S]*?)^```$/m.exec(manual)!;
  const { jobs } = Bun.YAML.parse(text!) as { jobs: { smoke: { steps: { run?: string }[] } } };
  const script = jobs.smoke.steps.flatMap(({ run = [] }) => run).join("\n");
  expect(script).toContain("sha256sum --check --strict --ignore-missing SHA256SUMS");
  const [, options] = /\.\/mainstay smoke (.*)$/m.exec(script)!;
  const { options: taken } = (await loadCommandModule(
    COMMANDS.find(({ name }) => name === "smoke")!,
  )) as Command;
  for (const [, option] of options!.matchAll(/--([a-z]+)/g)) expect(taken).toHaveProperty(option!);
});

test("every link inside the manual points to a heading", () => {
  const anchors = [...manual.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replaceAll(" ", "-"),
  );
  const links = [...manual.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!);
  expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
});

test("every link to a file points to a folder of the project", () => {
  const links = [...manual.matchAll(/\]\((\.[^)#]+)\)/g)].map(([, path]) => path!);
  expect(links.filter((path) => !existsSync(dirname(join(dirname(MANUAL), path))))).toEqual([]);
});
