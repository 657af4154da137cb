import { beforeEach, describe, expect, test } from "bun:test";
import type { Acquired } from "../../../src/cluster/cluster-locks.ts";
import { OperatorError } from "../../../src/domain/errors.ts";
import {
  beginCalibration,
  failCalibration,
  loadLatestCalibration,
  withCalibrationLock,
} from "../../../src/usecases/calibration/calibration-runs.ts";
import { type PartnerFixture, usePartnerStore } from "../../support/partner-store.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const open = usePartnerStore();
let fixture: PartnerFixture;
let other: PartnerFixture["store"];
beforeEach(async () => {
  fixture = await open(NOON);
  other = await fixture.open();
});

const asked = (by: string) => ({ by, actor: "ADM_1" });
const idOf = (acquired: Acquired) => (acquired as { id: string }).id;
const everywhere = async () => {
  const reported = [await loadLatestCalibration(fixture.store.read), await loadLatestCalibration(other.read)];
  expect(reported[0]).toEqual(reported[1]!);
  return reported[0]!;
};
/** The state after all its processes were killed and the lock has expired. */
const killAll = (id: string) => other.write((tx) => tx.locks.release("fit", id));
const byCommand = { ...asked("cli:night(7) on db1"), handedOver: undefined };

// Rule: calibration-cluster
describe("a fit among several processes", () => {
  test("is started by one of two concurrent requests; the other gets its owner and start time", async () => {
    expect(await everywhere()).toMatchObject({ status: "none", by: null });
    const taken = await Promise.all([
      beginCalibration(fixture.store, asked("the first")),
      beginCalibration(other, asked("the second")),
    ]);
    const refused = taken.filter((one) => "heldBy" in one);
    const winner = "id" in taken[0]! ? "the first" : "the second";
    expect(refused).toEqual([{ heldBy: `${winner}, since 2026-03-10T12:00:00.000Z` }]);
    expect(await everywhere()).toMatchObject({ status: "running", by: winner, startedAt: NOON, error: null });
    const command = withCalibrationLock(other, byCommand, async () => {});
    await expect(command).rejects.toThrow(`a calibration is in progress already, by ${winner}, since`);
  });

  test("reports its failure once to all processes, also when the failure is recorded twice or too late", async () => {
    const first = idOf(await beginCalibration(fixture.store, asked("one")));
    fixture.time.now += 5_000;
    await failCalibration(fixture.store, first, "no outcome is on record");
    const failed = { status: "failed", by: "one", startedAt: NOON, finishedAt: NOON + 5_000 } as const;
    expect(await everywhere()).toMatchObject({ ...failed, error: "no outcome is on record" });
    await failCalibration(other, first, "another reason");
    expect((await everywhere()).error).toBe("no outcome is on record");
    const second = idOf(await beginCalibration(other, asked("two")));
    await failCalibration(fixture.store, first, "too late");
    expect(await everywhere()).toMatchObject({ status: "running", by: "two", startedAt: NOON + 5_000 });
    await failCalibration(other, second, "why");
    const entries = await fixture.store.read.audit.page({ offset: 0, limit: 10 }, { subject: "fit" });
    expect(entries.map(({ action, actor, detail }) => [action, actor, detail])).toEqual([
      ["fit.fail", "ADM_1", { by: "two", error: "why" }],
      ["fit.begin", "ADM_1", { by: "two" }],
      ["fit.fail", "ADM_1", { by: "one", error: "no outcome is on record" }],
      ["fit.begin", "ADM_1", { by: "one" }],
    ]);
  });

  test("that was interrupted with its server is reported as interrupted, and blocks no other fit", async () => {
    const id = idOf(await beginCalibration(fixture.store, asked("the server at http://one")));
    await killAll(id);
    expect(await everywhere()).toMatchObject({
      status: "failed",
      by: "the server at http://one",
      finishedAt: null,
      error: "Interrupted, with the server at http://one. Run it again.",
    });
    expect(await beginCalibration(other, asked("another"))).toHaveProperty("id");
  });

  test("of a command fails with its message, without the parameters of a query", async () => {
    const fail = (error: Error) => withCalibrationLock(fixture.store, byCommand, () => Promise.reject(error));
    await expect(fail(new OperatorError("nothing is on record", "Record more."))).rejects.toThrow("nothing");
    expect(await everywhere()).toMatchObject({ status: "failed", by: "cli:night(7) on db1" });
    expect((await everywhere()).error).toBe("nothing is on record. Record more.");
    await expect(fail(new Error("values ('secret')"))).rejects.toThrow("secret");
    expect((await everywhere()).error).toBe(
      "It failed with an internal error; see the output of the command.",
    );
  });

  test("that was handed over continues under the same lock, and its server reports the end", async () => {
    const id = idOf(await beginCalibration(fixture.store, asked("the server at http://one")));
    const handed = { ...byCommand, handedOver: id };
    const run = withCalibrationLock(other, handed, async () => {
      expect(await everywhere()).toMatchObject({ status: "running", by: "the server at http://one" });
      throw new OperatorError("interrupted");
    });
    await expect(run).rejects.toThrow("interrupted");
    expect((await everywhere()).status).toBe("running");
    await failCalibration(fixture.store, id, "a reported failure");
    expect((await everywhere()).error).toBe("a reported failure");
    const late = withCalibrationLock(other, handed, async () => "done");
    await expect(late).rejects.toThrow("another process may be doing the same");
  });
});
