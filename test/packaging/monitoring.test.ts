import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { firstCells, marked, readManual } from "../docs/manual.ts";

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

/** Returns the metrics that an expression names. Throws where it is not valid PromQL. */
function metricsOf(expr: string): string[] {
  const text = expr.replaceAll("$__rate_interval", "5m");
  const names: string[] = [];
  parser.parse(text).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`no PromQL at ${node.from}: ${text}`);
      if (node.name === "VectorSelector")
        names.push(/^[a-z_:]+/.exec(text.slice(node.from, node.to))?.[0] ?? text);
    },
  });
  return names;
}

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
