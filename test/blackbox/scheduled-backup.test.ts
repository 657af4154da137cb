import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { useMainstay } from "../support/mainstay.ts";

const { install } = useMainstay();

test("takes scheduled backups, tests each, keeps the newest and reports the result in the health", async () => {
  const server = install();
  const dir = join(server.folder, "backups");
  server.configure({
    backup: { schedule: "* * * * *", keep: 2, dir, passphrase: "only for the schedule" },
  });
  mkdirSync(dir);
  const older = ["mainstay-20250101T040000Z.backup", "mainstay-20250102T040000Z.backup"];
  for (const name of [...older, "mine.backup"]) writeFileSync(join(dir, name), "");
  mkdirSync(join(dir, ".mainstay-20250103T040000Z.backup.partial"));
  await server.start();
  expect((await server.anonymous.get("/health")).body.last_backup).toBeNull();

  const health = () => server.anonymous.get("/health").then(({ body }) => body.last_backup);
  const last = await eventually(async () => {
    const seen = await health();
    expect(seen).not.toBeNull();
    return seen;
  });
  expect(last).toEqual({
    at: expect.stringMatching(/T\d\d:\d\d:\d\d\.\d{3}Z$/),
    ok: true,
    drill_ok: true,
    bytes: expect.any(Number),
    duration_ms: expect.any(Number),
  });
  const names = readdirSync(dir).toSorted();
  expect(names).toEqual([older[1]!, expect.stringMatching(/^mainstay-\d{8}T\d{6}Z\.backup$/), "mine.backup"]);
  await server.stop();
  const { checks } = await server.json("doctor");
  expect(checks.find(({ name }: { name: string }) => name === "last_backup").status).toBe("ok");
  await server.start();
  expect(await health()).toMatchObject({ at: last.at });
});
