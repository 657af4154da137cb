import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { useMainstay } from "../support/mainstay.ts";
import { NotifyReceiver } from "../support/notify-receiver.ts";

const { folder, install } = useMainstay({ inFolder: true });
const receivers: NotifyReceiver[] = [];
afterAll(() => {
  for (const receiver of receivers) receiver.close();
});

function listenAt(address: string): NotifyReceiver {
  const receiver = new NotifyReceiver(address);
  receivers.push(receiver);
  return receiver;
}

const WATCHDOG = /^WATCHDOG=1$/;

// Rule: service-manager
test("a server reports to the service manager that it listens, reloads, runs and stops", async () => {
  const manager = listenAt(join(folder(), "notify"));
  const server = install({ server: { drain_s: 3, shutdown_grace_s: 7 } });
  await server.start({ env: { NOTIFY_SOCKET: manager.address, WATCHDOG_USEC: "300000" } });
  await manager.received(WATCHDOG);
  expect(manager.messages()[0]).toBe(`READY=1\nSTATUS=Serving at ${server.url}`);
  const afterOne = manager.messages().length;
  await manager.received(WATCHDOG, afterOne);

  const beforeReload = manager.messages().length;
  process.kill(server.pid, "SIGHUP");
  const reloading = await manager.received(/^RELOADING=1\nMONOTONIC_USEC=\d{6,}$/, beforeReload);
  await manager.received(/^READY=1\n/, manager.messages().indexOf(reloading) + 1);

  const stopped = server.stop();
  // 3 s to drain, 7 s each for requests and deliveries, and a minute for the database.
  await manager.received(/^STOPPING=1\nEXTEND_TIMEOUT_USEC=77000000\n/);
  process.kill(server.pid, "SIGTERM");
  expect(await stopped).toBe(0);
});

// Rule: service-manager
test("without a watchdog, or with that of another process, nothing is reported while the server runs", async () => {
  const environments: Record<string, string>[] = [
    {},
    { WATCHDOG_USEC: "1000", WATCHDOG_PID: "1" },
    { WATCHDOG_USEC: "soon" },
  ];
  for (const env of environments) {
    const manager = listenAt(`@mainstay-${crypto.randomUUID()}`);
    const server = install();
    await server.start({ env: { NOTIFY_SOCKET: manager.address, ...env } });
    await server.anonymous.get("/health");
    await server.stop();
    expect(manager.messages().map((message) => message.split("\n")[0])).toEqual(["READY=1", "STOPPING=1"]);
  }
});

test.each([
  ["relative/path", "expected a path, or a name after @"],
  ["vsock:2:1234", "expected a path, or a name after @"],
  [`/${"x".repeat(107)}`, "longer than 107 bytes"],
  ["/nowhere/notify", "nothing listens at the socket"],
])("a server that cannot notify %j warns once and serves", async (address, reason) => {
  const server = install();
  await server.start({ env: { NOTIFY_SOCKET: address, WATCHDOG_USEC: "30000" } });
  await server.anonymous.get("/health");
  await server.stop();
  const warnings = server.log.filter(({ msg }) => msg === "the service manager could not be notified");
  expect(warnings).toMatchObject([{ level: "warn", notify_socket: address, reason }]);
});
