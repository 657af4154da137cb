import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CAN_MOUNT, useDisks } from "../support/disk.ts";

const disk = useDisks();
const MODULE = join(import.meta.dir, "../../src/cli/terminal/terminal-standard-streams.ts");

/** Writes to a full disk, then to one with room for one line, then to one with room for all. */
const PROGRAM = `
  import { rmSync, truncateSync, statSync } from "node:fs";
  import { standardTerminalStream } from ${JSON.stringify(MODULE)};
  const stream = standardTerminalStream(1);
  stream.onRecovery((dropped) => stream.write("dropped " + dropped + "\\n"));
  const write = async (line) => {
    stream.write(line + "\\n");
    await new Promise((resolve) => setTimeout(resolve, 0));
    await new Promise(setImmediate);
  };
  const ballast = process.argv[1];
  for (let nth = 0; nth < 3; nth++) await write("x".repeat(4095));
  truncateSync(ballast, statSync(ballast).size - 4096);
  await write("y".repeat(4095));
  rmSync(ballast);
  await write("z");
  await write("end");
`;

test.skipIf(!CAN_MOUNT)("a report of dropped lines that finds no room is repeated", () => {
  const place = disk(1);
  const file = join(place.path, "log");
  place.fill();
  const { stderr } = Bun.spawnSync([
    "bash",
    "-c",
    '"$0" -e "$1" "$2" > "$3"',
    process.execPath,
    PROGRAM,
    join(place.path, "ballast"),
    file,
  ]);
  expect(stderr.toString()).toBe("");
  expect(
    readFileSync(file, "utf8")
      .replace(/(.)\1{9,}/g, "$1")
      .split("\n"),
  ).toEqual(["y", "z", "dropped 4", "end", ""]);
});
