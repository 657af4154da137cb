import { expect, test } from "bun:test";
import { ApplianceNames } from "../../../src/web/page/page-appliance-names.ts";

const TYPE = "water_heater_gas";
const describeUnits = (...labels: string[]) => {
  const applianceNames = new ApplianceNames(
    [{ type_id: TYPE, name: "Water heater", system: "plumbing" }],
    labels.map((label, at) => ({ id: `U_${at}`, label })),
  );
  return applianceNames.ofGroup(labels.map((_, at) => ({ appliance_type: TYPE, unit: `U_${at}` })));
};
const upTo = (count: number) => Array.from({ length: count }, (_, at) => String(at + 1));

test.each([
  [["4"], "Water heater, unit 4"],
  [["10", "9"], "Water heater, units 9 and 10"],
  [upTo(12), "Water heater, units 1–12"],
  [["101", "102", "103", "201", "7"], "Water heater, units 7, 101–103, and 201"],
  [["1", "3", "5", "7", "9", "11", "12", "13"], "Water heater, units 1, 3, 5, 7, and 4 more"],
  [["A1", "A2", "A3", "A3"], "Water heater, units A1, A2, and A3"],
  [["01", "02", "03"], "Water heater, units 01, 02, and 03"],
])("describes identical components in units %p as %s", (labels, words) => {
  expect(describeUnits(...labels)).toBe(words);
});
