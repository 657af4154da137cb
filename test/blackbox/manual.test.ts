import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { consoleSteps, firstCells, marked, readManual } from "../docs/manual.ts";
import { Reader } from "../docs/reader.ts";
import { useMainstay } from "../support/mainstay.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

/*
 * Runs every command in the manual's console blocks, in order, in one folder, and compares the output with the manual.
 * Addresses in the manual are replaced with those of a server and a webhook endpoint on free ports.
 */

const { install, serve } = useMainstay();
const manual = readManual();
let reader: Reader;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  reader = new Reader(install(), { samples: "portfolio", receiverUrl: receiver.url });
});
afterAll(() => receiver.close());

test("every command in the manual prints what the manual says", async () => {
  const steps = consoleSteps(manual);
  expect(steps.length).toBeGreaterThan(40);
  for (const step of steps) await reader.follow(step);
});

test("a leaked key file is replaced as the manual says", async () => {
  const { installation } = reader;
  await installation.stop();
  const other = install();
  rmSync(other.configFile);
  await other.json("init");
  cpSync(join(other.dataDir, "mainstay.key"), join(installation.dataDir, "mainstay.key"));
  const isKeyGood = async () => {
    const { stdout } = await installation.run("doctor", "--json");
    return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === "key").status;
  };
  expect(await isKeyGood()).toBe("fail");
  const { partners } = await installation.json("partner", "list");
  for (const { partner_id } of partners)
    await installation.json("partner", "rotate-webhook-secret", partner_id);
  expect(await isKeyGood()).toBe("ok");
});

test("every metric is in the manual, and no other", async () => {
  const server = await serve();
  const answer = await fetch(`${server.adminUrl}/metrics`);
  const text = answer.status === 404 ? "" : await answer.text();
  const served = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
  expect(firstCells(marked(manual, "metrics")).toSorted()).toEqual(served.toSorted());
});
