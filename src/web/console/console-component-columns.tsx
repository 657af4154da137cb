import type { ComponentChildren } from "preact";
import type { AlertJson } from "../../api-schemas/component-schema.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { explanationPagePercent } from "../explanation/explanation-page-numbers.ts";
import { formatPageMoney } from "../page/page-format.ts";
import { TierMark } from "../widgets/tier-mark.tsx";
import type { TableColumn } from "../widgets/virtual-table.tsx";

type ListedComponent = Pick<
  AlertJson,
  | "component_id"
  | "component_name"
  | "risk_tier"
  | "risk_score"
  | "failure_probability_12m"
  | "projected_failure_year"
  | "expected_cost_12m"
>;

/** Returns the columns of a list of components. `placeOf` returns the text below a component's name. */
export const consoleComponentColumns = <Row extends ListedComponent>(
  placeOf: (row: Row) => ComponentChildren,
): readonly TableColumn<Row>[] => [
  {
    key: "name",
    heading: "Component",
    cell: (row) => (
      <>
        <a class="name" href={hrefTo(["components", row.component_id])}>
          {row.component_name}
        </a>
        <span class="under small muted">
          <span class="below-medium">{formatPageMoney(Math.round(row.expected_cost_12m))} · </span>
          {placeOf(row)}
        </span>
      </>
    ),
  },
  {
    key: "score",
    heading: "Score",
    isNumber: true,
    width: "narrow",
    cell: ({ risk_tier, risk_score }) => (
      <>
        <TierMark tier={risk_tier} /> {risk_score.toFixed(2)}
      </>
    ),
  },
  {
    key: "probability",
    heading: "12-month failure probability",
    isNumber: true,
    shownFrom: "medium",
    cell: ({ failure_probability_12m }) => explanationPagePercent(failure_probability_12m),
  },
  {
    key: "expected",
    heading: "Expected failure",
    isNumber: true,
    shownFrom: "wide",
    cell: ({ projected_failure_year }) => projected_failure_year,
  },
  {
    key: "loss",
    heading: "12-month expected loss",
    isNumber: true,
    shownFrom: "medium",
    cell: ({ expected_cost_12m }) => formatPageMoney(Math.round(expected_cost_12m)),
  },
];
