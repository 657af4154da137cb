import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskSpaceMetricsReader } from "../../src/metrics/prometheus-disk-space-metrics.ts";
import { readMetricWithTimeout } from "../../src/metrics/read-metric-with-timeout.ts";

const WITHIN_MS = 60_000;
const SOON_MS = 5;

test("the space of a disk is that of the folder, or of its nearest parent that exists", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-disk-"));
  const read = diskSpaceMetricsReader({ data: folder, backups: join(folder, "not", "yet") }, WITHIN_MS);
  const { data, backups } = await read();
  const { blocks, bsize } = statfsSync(folder);
  expect(data!.sizeBytes).toBe(blocks * bsize);
  expect(data!.freeBytes).toBeWithin(1, blocks * bsize);
  expect(backups!.sizeBytes).toBe(blocks * bsize);
  rmSync(folder, { recursive: true });
});

test("a disk that fails or does not respond is left out, and the others are read", async () => {
  const space = { freeBytes: 1, sizeBytes: 2 };
  let asked = 0;
  const read = diskSpaceMetricsReader(
    { good: "/good", failing: "/failing", hanging: "/hanging" },
    SOON_MS,
    async (folder) => {
      if (folder === "/failing") throw new Error("input/output error");
      if (folder === "/hanging") {
        asked++;
        await new Promise(() => {});
      }
      return space;
    },
  );
  expect(await read()).toEqual({ good: space });
  expect(await read()).toEqual({ good: space });
  // A second question would block a second thread of the runtime.
  expect(asked).toBe(1);
});

test("a read that was late is started again once it has ended", async () => {
  const { promise: blocked, resolve: unblock } = Promise.withResolvers<string>();
  const answers = [blocked, Promise.resolve("second")];
  const read = readMetricWithTimeout(() => answers.shift()!, SOON_MS);
  expect(await read()).toBeUndefined();
  unblock("first");
  expect(await read()).toBe("first");
  expect(await read()).toBe("second");
});
