import { afterEach, beforeEach, expect, test } from "bun:test";
import { openSystemdNotifications } from "../../src/server/systemd-notifications.ts";
import { NotifyReceiver } from "../support/notify-receiver.ts";
import { ManualTime } from "../webhooks/manual-time.ts";

const PERIOD_MS = 60_000;
let manager: NotifyReceiver;
let time: ManualTime;
let watch: ReturnType<typeof openSystemdNotifications>["watch"];
beforeEach(() => {
  manager = new NotifyReceiver(`@mainstay-${crypto.randomUUID()}`);
  time = new ManualTime();
  const env = {
    NOTIFY_SOCKET: manager.address,
    WATCHDOG_USEC: String(PERIOD_MS * 1000),
    WATCHDOG_PID: String(process.pid),
  };
  const log = {
    warn: () => {
      throw new Error("nothing to warn about");
    },
  };
  ({ watch } = openSystemdNotifications(env, log, time.timersPort));
});
afterEach(() => manager.close());

const idle = () => 0;

// Rule: service-manager
test("the watchdog gets three reports in its period, also while the writer refuses to write", async () => {
  let probes = 0;
  const probe = async () => {
    probes++;
    if (probes > 3) throw new Error("the disk is full");
  };
  const end = watch({ probe, steps: idle });
  await time.settle();
  expect(manager.messages()).toEqual(["WATCHDOG=1"]);
  await time.advance(2 * PERIOD_MS);
  expect(manager.messages()).toEqual(Array(7).fill("WATCHDOG=1"));
  end();
});

// Rule: service-manager
test("the watchdog gets no report while the writer neither responds nor makes progress", async () => {
  const { promise: blocked, resolve: unblock } = Promise.withResolvers<void>();
  let probes = 0;
  let steps = 0;
  const end = watch({ probe: () => (probes++ === 1 ? blocked : Promise.resolve()), steps: () => steps });
  await time.advance(10 * PERIOD_MS);
  expect([probes, manager.messages().length]).toEqual([2, 2]);
  // A long transaction for which the probe waits.
  steps = 1;
  await time.advance(PERIOD_MS);
  expect([probes, manager.messages().length]).toEqual([2, 3]);
  unblock();
  await time.advance(PERIOD_MS);
  expect(manager.messages().length).toBe(6);
  end();
});

// Rule: service-manager
test("reports end with the watch, also while a probe runs", async () => {
  const { promise: probed, resolve: endProbe } = Promise.withResolvers<void>();
  const end = watch({ probe: () => probed, steps: idle });
  end();
  endProbe();
  await time.advance(10 * PERIOD_MS);
  expect(manager.messages()).toEqual(["WATCHDOG=1"]);
});
