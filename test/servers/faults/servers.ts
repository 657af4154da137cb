import type { Fault } from "./fault.ts";

/** Longer than any lease. */
const PAUSED_MS = 18_000;

export const killing: Fault = {
  name: "kill",
  what: "kill -9 of any server every second, and started again",
  async inflict({ fleet }, random, until) {
    while (!until.aborted) {
      await Bun.sleep(random.between(700, 1_300));
      const server = random.pick(fleet.servers);
      await server.kill();
      await Bun.sleep(random.below(500));
      await server.start();
    }
  },
};

/**
 * Kills one server or all of them at once, `rounds` times. A round begins with servers that acknowledge writes and ends
 * when the killed ones listen again.
 */
export const crashing = (rounds: number): Fault => ({
  name: "crash",
  what: "kill -9 of one server or of all at once, started again at once, as often as possible",
  async inflict({ fleet, record }, random, until) {
    while (!until.aborted && record.crashes < rounds) {
      const enough = record.writes.size + random.between(1, 20);
      while (record.writes.size < enough && !until.aborted) await Bun.sleep(5);
      // The kill happens at any point of the following writes.
      await Bun.sleep(random.below(30));
      const killed = random.chance(0.2) ? fleet.servers : [random.pick(fleet.servers)];
      await Promise.all(killed.map((server) => server.kill()));
      await Promise.all(killed.map((server) => server.start()));
      if (record.writes.size >= enough) record.crashes++;
    }
  },
});

export const stopping: Fault = {
  name: "stop",
  what: "SIGTERM to any server, and started again: a rolling restart",
  async inflict({ fleet, record }, random, until) {
    while (!until.aborted) {
      await Bun.sleep(random.between(500, 1_500));
      const server = random.pick(fleet.servers);
      const { kills } = server;
      const code = await server.stop();
      // Another fault may have killed it meanwhile.
      if (code !== 0 && server.kills === kills)
        record.wrong(`${server.name} exited with ${code} after SIGTERM:\n${server.tail()}`);
      await server.start();
    }
  },
};

export const pausing: Fault = {
  name: "pause",
  what: "SIGSTOP of any server for longer than its leases hold, and let go on",
  async inflict({ fleet }, random, until) {
    while (!until.aborted) {
      await Bun.sleep(random.between(500, 2_000));
      const server = random.pick(fleet.servers);
      server.pause();
      await Bun.sleep(PAUSED_MS);
      server.resume();
    }
  },
};
