import { serializeServers } from "../../api-schemas/cluster-server-schema.ts";
import { LEASE_MS } from "../../cluster/lease.ts";
import type { DataFolder } from "../../server/server-data-folder.ts";
import { defineCommand } from "../command.ts";
import { withCommandData } from "../command-data-access.ts";
import { terminalTable } from "../terminal/terminal-table.ts";
import { terminalSecondText } from "../terminal/terminal-time-text.ts";

export const serversCommand = defineCommand({
  description:
    "Servers that share a PostgreSQL database record a heartbeat there, and hold leases for work that only one of them " +
    "may do at a time: each partner's webhooks and each job. A server whose heartbeat is older than a lease has lost " +
    "its leases.",
  options: {},
  examples: ["mainstay servers"],
  async run(context) {
    const list = async ({ store }: DataFolder) => ({
      isShared: store.isShared,
      servers: await store.read.servers.list(LEASE_MS),
    });
    const found = await withCommandData(context, list, { acceptsAnyClock: true });
    const view = serializeServers(found);
    context.print(
      view,
      !view.shared
        ? "Single-server mode (SQLite)."
        : view.servers.length === 0
          ? "No server is running, and none stopped unexpectedly within the last day."
          : terminalTable(
              [
                "ALIVE",
                { heading: "ADDRESS", shrinks: true },
                { heading: "VERSION", from: 100 },
                { heading: "LEASES", align: "right" },
                "HEARTBEAT",
                "CLOCK",
                "STARTED (UTC)",
              ],
              view.servers.map((server) => [
                server.alive ? "yes" : "no",
                server.address,
                server.version,
                String(server.leases),
                `${server.silent_s.toFixed(1)} s ago`,
                server.clock_off_s === 0 ? "OK" : `${server.clock_off_s.toFixed(1)} s off`,
                terminalSecondText(server.started_at, context.tableWidth),
              ]),
              context.tableWidth,
            ),
    );
  },
});
