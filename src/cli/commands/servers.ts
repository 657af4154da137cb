import { LEASE_MS } from "../../domain/lease.ts";
import { serversView } from "../../wire/server.ts";
import { command } from "../command.ts";
import { withData } from "../data.ts";
import { textTable } from "../terminal/text-table.ts";

export const serversCommand = command({
  description:
    "Servers that share one PostgreSQL database say there that they are alive, and lease what one of them at a time may " +
    "do: each partner's webhooks, each job. One that is silent for longer than a lease has lost what it held.",
  options: {},
  examples: ["mainstay servers"],
  async run(context) {
    const found = await withData(context, async ({ store }) => ({
      isShared: store.isShared,
      servers: await store.read.servers.list(LEASE_MS),
    }));
    const view = serversView(found);
    context.print(
      view,
      !view.shared
        ? "One server has this data folder for itself."
        : view.servers.length === 0
          ? "No server is there, and none was lost within a day."
          : textTable(
              ["ALIVE", "ADDRESS", "VERSION", "LEASES", "SILENT", "CLOCK", "STARTED"],
              view.servers.map((one) => [
                one.alive ? "yes" : "no",
                one.address,
                one.version,
                String(one.leases),
                `${one.silent_s.toFixed(1)} s`,
                one.clock_off_s === 0 ? "right" : `${one.clock_off_s.toFixed(1)} s off`,
                one.started_at,
              ]),
            ),
    );
  },
});
