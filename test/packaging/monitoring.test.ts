import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { firstCells, marked, readManual } from "../docs/manual.ts";
import { createAdministrator } from "../support/administrator.ts";
import { makeCertificate } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty } from "../support/portfolio.ts";

const FOLDER = join(import.meta.dir, "../../packaging/monitoring");
const textOf = (file: string) => readFileSync(join(FOLDER, file), "utf8");

type Rule = {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
};
const { groups } = Bun.YAML.parse(textOf("mainstay.rules.yml")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

type Panel = { title: string; targets?: { expr: string }[] };
const dashboard = JSON.parse(textOf("mainstay-dashboard.json")) as { panels: Panel[] };
const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [`${title}: ${expr}`, expr] as const),
);

/** The metrics in the manual. test/blackbox/metrics.test.ts checks that they are the served ones. */
const served = new Set(firstCells(marked(readManual(), "metrics")));
/** Created by Prometheus itself for every target. */
const BUILT_IN = ["up"];

/** The selector of a metric, with the labels that it compares. */
type Selector = { metric: string; labels: string[] };

/** Returns the selectors of an expression. Throws where it is not valid PromQL. */
function selectorsOf(expr: string): Selector[] {
  const text = expr.replaceAll("$__rate_interval", "5m");
  const selectors: Selector[] = [];
  parser.parse(text).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`no PromQL at ${node.from}: ${text}`);
      if (node.name !== "VectorSelector") return;
      const selector = text.slice(node.from, node.to);
      const labels = [...selector.matchAll(/[{,](\w+)(?:=~?|!=|!~)"/g)].map(([, label]) => label!);
      selectors.push({ metric: /^[a-z_:]+/.exec(selector)?.[0] ?? selector, labels });
    },
  });
  return selectors;
}

const metricsOf = (expr: string): string[] => selectorsOf(expr).map(({ metric }) => metric);

/** Returns the metric that a series of a histogram belongs to. */
const familyOf = (name: string) => (served.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ""));

test("an invalid expression is rejected", () => {
  expect(metricsOf("rate(mainstay_http_requests_total[5m]) > 0")).toEqual(["mainstay_http_requests_total"]);
  expect(() => metricsOf("rate(mainstay_http_requests_total[5m]")).toThrow();
});

test.each([...rules.map(({ alert, expr }) => [alert, expr] as const), ...panels])(
  "%s queries served metrics",
  (_, expr) => {
    const names = metricsOf(expr);
    expect(names).not.toBeEmpty();
    for (const name of names) if (!BUILT_IN.includes(name)) expect(served).toContain(familyOf(name));
  },
);

describe("the alerts", () => {
  // Rule: future-snapshot
  test("fire for a late snapshot also if one is dated in the future", () => {
    const { expr } = rules.find(({ alert }) => alert === "MainstaySnapshotLate")!;
    expect(metricsOf(expr)).toEqual(["mainstay_snapshot_age_seconds", "mainstay_snapshot_dated_in_future"]);
    expect(expr).toEndWith(" or mainstay_snapshot_dated_in_future == 1");
  });

  test("are each in the manual's runbook, and no other", () => {
    const named = firstCells(marked(readManual(), "alerts"));
    expect(named).toEqual(rules.map(({ alert }) => alert));
  });

  test("state the location, the problem and the severity", () => {
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Mainstay[A-Z]\w+$/);
      expect(["critical", "warning", "info"], alert).toContain(labels.severity);
      expect(annotations.summary, alert).toStartWith("{{ $labels.instance }}: ");
      expect(annotations.runbook).toBe("docs/operating.md#alerts");
    }
  });
});

type RuleTest = {
  name: string;
  alert_rule_test: { alertname: string; exp_alerts: object[] }[];
};
const testFiles = readdirSync(FOLDER).filter((name) => name.endsWith(".test.yml"));
const ruleTests = testFiles.flatMap((name) => (Bun.YAML.parse(textOf(name)) as { tests: RuleTest[] }).tests);

describe("the tests of the alerts", () => {
  // Rule: alert-tests
  test.each(rules.map(({ alert }) => alert))(
    "have a time at which %s is silent, and then one at which it fires",
    (alert) => {
      const firing = ruleTests
        .filter(({ name }) => name.startsWith(`${alert}: `))
        .map((one) => one.alert_rule_test.map(({ alertname, exp_alerts }) => [alertname, exp_alerts.length]));
      expect(firing).not.toBeEmpty();
      for (const times of firing)
        expect(times).toEqual([
          [alert, 0],
          [alert, 1],
        ]);
    },
  );

  // Rule: first-alerts
  test("include a server without a snapshot or a backup, and one with both", () => {
    for (const alert of ["MainstayNoSnapshot", "MainstayNoBackup"]) {
      const names = ruleTests.map(({ name }) => name).filter((name) => name.includes(`${alert}: `));
      expect(names).toEqual([
        expect.stringMatching(new RegExp(`^${alert}: a server before its first`)),
        expect.stringMatching(new RegExp(`^no ${alert}: `)),
      ]);
    }
  });

  test("name existing alerts", () => {
    const named = ruleTests.flatMap((one) => one.alert_rule_test.map(({ alertname }) => alertname));
    expect(named.filter((name) => !rules.some(({ alert }) => alert === name))).toEqual([]);
  });

  // Rule: alert-tests
  test.skipIf(Bun.which("promtool") === null)("pass in Prometheus itself (skipped without promtool)", () => {
    const run = (...args: string[]) => {
      const { exitCode, stdout, stderr } = Bun.spawnSync(["promtool", ...args], { cwd: FOLDER });
      return exitCode === 0 ? "passed" : `${stdout}${stderr}`;
    };
    expect(run("check", "rules", "mainstay.rules.yml")).toBe("passed");
    expect(run("test", "rules", ...testFiles)).toBe("passed");
  });
});

describe("a scrape of a server with a certificate, a snapshot, a backup and a portfolio", () => {
  /** The labels of each series, by metric. */
  const series = new Map<string, Set<string>[]>();
  const types = new Set<string>();
  const { folder, install } = useMainstay({ inFolder: true });
  beforeAll(async () => {
    const server = install();
    await server.start();
    const client = server.as(await server.createPartner());
    const property = await addProperty(client);
    await addAppliance(client, property.id);
    await server.stop();
    const { cert, key } = await makeCertificate(folder(), "server");
    server.configure({ server: { tls_cert: cert, tls_key: key }, backup: { schedule: "0 0 1 1 *" } });
    await server.start();
    await server.json("snapshot");
    const admin = await createAdministrator(server);
    await admin.client.post("/admin/jobs/backup/run", undefined, 202);
    const text = await eventually(async () => {
      const scraped = await (await fetch(`${server.adminUrl}/metrics`)).text();
      expect(scraped).toContain('mainstay_backup_ok{engine="sqlite"} 1');
      expect(scraped).toContain("mainstay_database_integrity_ok 1");
      return scraped;
    });
    await server.stop();
    for (const [, name] of text.matchAll(/^# TYPE (\S+) /gm)) types.add(name!);
    for (const [, name, labels = ""] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
      const found = new Set([...labels.matchAll(/(\w+)="/g)].map(([, label]) => label!));
      series.set(name!, [...(series.get(name!) ?? []), found]);
    }
  });

  /** Added by Prometheus to every series. */
  const TARGET_LABELS = ["job", "instance"];
  /** Present only with an activated calibration, which takes years of records and the monthly check. */
  const CALIBRATED = [
    "mainstay_model_concordance",
    "mainstay_model_log_loss_difference",
    "mainstay_model_worse_than_default",
  ];

  // Rule: alert-tests
  test.each([...rules.map(({ alert, expr }) => [alert, expr] as const), ...panels])(
    "has the metrics of %s, with their labels",
    (_, expr) => {
      for (const { metric, labels } of selectorsOf(expr)) {
        if (BUILT_IN.includes(metric)) continue;
        if (CALIBRATED.includes(metric)) {
          expect(types).toContain(metric);
          continue;
        }
        const own = labels.filter((label) => !TARGET_LABELS.includes(label));
        const found = series.get(metric) ?? [];
        expect(found, metric).not.toBeEmpty();
        for (const label of own)
          expect(
            found.some((one) => one.has(label)),
            `${metric}{${label}}`,
          ).toBe(true);
      }
    },
  );
});
