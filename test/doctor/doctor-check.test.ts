import { expect, test } from "bun:test";
import { type DoctorCheck, okDoctorFinding, runDoctorChecks } from "../../src/doctor/doctor-check.ts";

test("checks that wait for other hosts run beside each other, at most 32, and results keep their order", async () => {
  const names = ["clock", ...Array.from({ length: 70 }, (_, nth) => `endpoint ${nth}`), "disk", "backup"];
  let running = 0;
  let most = 0;
  const ranBeside = new Map<string, number>();
  const checks = names.map((name): DoctorCheck => {
    const isRemote = name.startsWith("endpoint");
    const run = async () => {
      running++;
      await Promise.resolve();
      most = Math.max(most, running);
      ranBeside.set(name, running);
      await Promise.resolve();
      running--;
      if (name === "endpoint 3") throw new Error("no response");
      return okDoctorFinding(name);
    };
    return isRemote ? { name, run, isRemote } : { name, run };
  });
  const results = await runDoctorChecks(checks);
  expect(results.map(({ name }) => name)).toEqual(names);
  expect(results.filter(({ status }) => status === "fail").map(({ name }) => name)).toEqual(["endpoint 3"]);
  expect(most).toBe(32);
  for (const name of ["clock", "disk", "backup"]) expect(ranBeside.get(name)).toBe(1);
});
