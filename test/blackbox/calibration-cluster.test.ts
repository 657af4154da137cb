import { beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failuresOfGoldenFleet, GOLDEN_FLEET } from "../support/golden-fleet.ts";
import type { Json } from "../support/json.ts";
import { untilInTime } from "../support/kill-during-work.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { rowsOf, usePostgres } from "../support/postgres.ts";
import {
  type AdministeredServers,
  administerServers,
  serverStarter,
  statusesOf,
} from "../support/several-servers.ts";

/* Calibrations requested from several servers that share a database. */

const { install } = useMainstay({ inFolder: true });
const serverOn = serverStarter(install);
const postgres = usePostgres();
const PROPOSAL = "/admin/model/proposal";

let url: string;
let servers: Installation[];
let admin: AdministeredServers;
beforeAll(async () => {
  url = await postgres.newInstallation();
  const first = await serverOn(url);
  servers = [first, await serverOn(url, first), await serverOn(url, first)];
  admin = await administerServers(servers);
});

const isProposal = (wanted: Json) => (reported: Json) => expect(reported).toMatchObject(wanted);

// Rule: calibration-cluster
test("one of several concurrent requests starts a calibration; the others are rejected with its server and start time", async () => {
  let begun = 0;
  for (let nth = 0; nth < 3; nth++) {
    const replies = await admin.asked(PROPOSAL);
    const made = replies.filter(({ status }) => status === 202);
    begun += made.length;
    expect(made.length).toBeGreaterThanOrEqual(1);
    for (const { status, body } of replies)
      if (status !== 202) {
        expect(status).toBe(409);
        expect(body.error).toMatch(
          /^A calibration is already in progress, started by the server at http:\S+, since \d{4}-\d\d-\d\dT[\d:.]+Z$/,
        );
      }
    const failed = await admin.everywhere(PROPOSAL, isProposal({ status: "failed" }));
    expect(failed).toMatchObject({ by: expect.stringContaining("the server at "), proposal_id: null });
    expect(failed.error).toContain("less than one year of service history is recorded");
    expect(failed.started_at < failed.finished_at).toBe(true);
  }
  // No two calibrations overlap.
  const actions = (await admin.actionsOn("fit")).toReversed();
  expect(actions).toEqual(Array.from({ length: begun }, () => ["fit.begin", "fit.fail"]).flat());
});

// Rule: calibration-cluster
test("every server shows a calibration with its validation, and concurrent requests activate and revert it once", async () => {
  const partner = await servers[0]!.json("partner", "create", "Fleet");
  const failures = join(servers[0]!.folder, "failures.csv");
  writeFileSync(failures, failuresOfGoldenFleet());
  await servers[0]!.json(
    ...["import", "--partner", partner.partner_id, "--properties", join(GOLDEN_FLEET, "properties.csv")],
    ...["--appliances", join(GOLDEN_FLEET, "appliances.csv"), "--service-events", failures],
  );
  await admin.at[1]!.post(PROPOSAL, undefined, 202);
  await admin.everywhere(PROPOSAL, isProposal({ status: "running", by: `the server at ${servers[1]!.url}` }));
  const ready = await admin.everywhere(PROPOSAL, isProposal({ status: "ready", better: true }));
  // A later failure keeps the calibration.
  const command = await servers[2]!.run("calibrate", "--keep", "--no-such-option");
  expect(command.code).toBe(2);
  expect(await admin.everywhere(PROPOSAL, () => {})).toEqual(ready);

  const applied = await admin.asked(`${PROPOSAL}/apply`, { proposal_id: ready.proposal_id });
  expect(statusesOf(applied)).toEqual([200, 409, 409, 409]);
  for (const { status, body } of applied)
    if (status === 409) expect(body.error).toMatch(/^Model 3\+local\.1 was activated already, at \d{4}-/);
  expect(await admin.actionsOn("3+local.1")).toEqual(["model.apply"]);
  await admin.everywhere(PROPOSAL, isProposal({ status: "applied", model_version: "3+local.1" }));

  const reverted = await admin.asked("/admin/model/revert", { model_version: "3+local.1" });
  expect(statusesOf(reverted)).toEqual([200, 409, 409, 409]);
  for (const { status, body } of reverted)
    if (status === 409) expect(body.error).toBe("The active model is 3, not 3+local.1. Nothing was changed");
  expect(await admin.actionsOn("3+local.1")).toEqual(["model.revert", "model.apply"]);
  await admin.everywhere(PROPOSAL, isProposal({ status: "none" }));
});

/** Starts a calibration on the last server and suspends its process; undefined if it was over by then. */
async function suspendedCalibration(): Promise<{ by: string; pid: number; before: Json } | undefined> {
  const last = servers[2]!;
  const before = await admin.everywhere(PROPOSAL, ({ status }) => expect(status).not.toBe("running"));
  await admin.at[2]!.post(PROPOSAL, undefined, 202);
  const children = readFileSync(`/proc/${last.pid}/task/${last.pid}/children`, "utf8");
  if (!/^\d+ $/.test(children)) return undefined;
  const pid = Number(children);
  process.kill(pid, "SIGSTOP");
  return { by: `the server at ${last.url}`, pid, before };
}

// Rule: calibration-cluster
test("a calibration whose server was killed is reported by the others, which can start the next one when the lock expires", async () => {
  const { by, pid } = await untilInTime(suspendedCalibration);
  await admin.everywhere(PROPOSAL, isProposal({ status: "running", by }));
  const refused = await admin.at[1]!.post(PROPOSAL, undefined, 409);
  expect(refused.body.error).toContain(`started by ${by}, since`);
  await servers[2]!.kill();
  process.kill(pid, "SIGKILL");
  const [lease] = await rowsOf(
    url,
    "SELECT expires_at - (extract(epoch from clock_timestamp()) * 1000)::bigint AS left FROM locks WHERE name = 'fit'",
  );
  expect(Number(lease!.left)).toBeLessThanOrEqual(15_000);
  // Expires the lock.
  await rowsOf(url, "UPDATE locks SET expires_at = 0 WHERE name = 'fit'");
  await servers[2]!.start();
  const reported = await admin.everywhere(PROPOSAL, isProposal({ status: "failed", by, finished_at: null }));
  expect(reported.error).toBe(`Interrupted, with ${by}. Run it again.`);
  await admin.at[1]!.post(PROPOSAL, undefined, 202);
  await admin.everywhere(PROPOSAL, isProposal({ status: "ready", by: `the server at ${servers[1]!.url}` }));
});

// Rule: calibration-cluster
test("a calibration interrupted by a server stop is reported as failed, also after the server is gone, and keeps the previous one", async () => {
  await admin.everywhere(PROPOSAL, isProposal({ status: "ready" }));
  const { by, before: kept } = await untilInTime(suspendedCalibration);
  await servers[2]!.stop();
  const { body } = await admin.at[0]!.get(PROPOSAL);
  const { proposal_id, made_at, better, fit } = kept;
  expect(body).toMatchObject({ status: "failed", by, proposal_id, made_at, better, fit });
  expect(body.error).toContain("the server was stopped");
  expect(body.finished_at > body.started_at).toBe(true);
  await servers[2]!.start();
  await admin.everywhere(PROPOSAL, isProposal({ status: "failed", by }));
  await admin.at[2]!.post(`${PROPOSAL}/apply`, { proposal_id }, 200);
  await admin.everywhere(PROPOSAL, isProposal({ status: "applied", model_version: "3+local.2" }));
});
