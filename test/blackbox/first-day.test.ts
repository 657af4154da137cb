import { describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, addWornAppliance } from "../support/portfolio.ts";
import { startReceiver } from "../support/receiver.ts";

const { serve } = useMainstay();
const takenBy = (server: Installation) => server.log.filter((line) => line.msg === "snapshot taken");

describe("the first day", () => {
  // Rule: second-snapshot
  test("a second snapshot adds components created after the first, and a third changes nothing", async () => {
    const receiver = await startReceiver();
    const server = await serve({ snapshot: { enabled: true, at: "00:00" } });
    await eventually(() => expect(takenBy(server)).toHaveLength(1));
    const client = server.as(await server.createPartner("Acme", "--webhook-url", receiver.url));
    const property = await addProperty(client);
    const early = await addWornAppliance(client, property.id);
    const second = await server.json("snapshot");
    const count = early.components_created;
    expect(second).toMatchObject({
      already_done: false,
      components: count,
      announced: count,
      queued: count,
      taken_in: { components: count, announced: count, queued: count },
    });
    await receiver.waitFor(
      (received) => received.filter(({ event }) => event === "component.critical").length >= count,
    );
    const point = (await client.get(`/v1/components/${early.components[0].id}/trend`)).body.trend;
    expect(point).toHaveLength(1);
    expect(await server.json("snapshot")).toMatchObject({ already_done: true, taken_in: null });

    const late = await addAppliance(client, property.id);
    const fourth = await server.json("snapshot");
    expect(fourth.taken_in).toEqual({ components: late.components_created, announced: 0, queued: 0 });
    expect(fourth).toMatchObject({ components: count + late.components_created, announced: count });
    expect((await client.get(`/v1/components/${early.components[0].id}/trend`)).body.trend).toEqual(point);
    const reported = receiver.received.filter(({ event }) => event === "component.critical");
    expect(reported).toHaveLength(count);
    await receiver.close();
  });

  // Rule: alerts-without-endpoint
  test("a snapshot reports queued deliveries and partners without an endpoint, and a later endpoint gets the alerts", async () => {
    const server = await serve();
    const partner = await server.createPartner("Acme");
    const client = server.as(partner);
    const property = await addProperty(client);
    const worn = await addWornAppliance(client, property.id);
    await addAppliance(client, property.id);
    const { stdout } = await server.run("snapshot");
    expect(stdout).toContain(`${worn.components_created} tier changes, 0 deliveries queued`);
    expect(stdout).toContain(`No webhooks sent to Acme (${partner.partner_id}): no endpoint configured.`);
    const refused = await server.run("partner", "announce", partner.partner_id);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("has no webhook endpoint");

    const receiver = await startReceiver();
    await server.json("partner", "set-webhook", partner.partner_id, receiver.url);
    const expected = { critical: worn.components_created, warning: 0, queued: worn.components_created };
    expect(await server.json("partner", "announce", partner.partner_id, "--dry-run")).toMatchObject({
      ...expected,
      dry_run: true,
    });
    expect((await server.json("deliveries", "list")).total).toBe(0);
    expect(await server.json("partner", "announce", partner.partner_id)).toMatchObject(expected);
    const received = await receiver.waitFor((some) => some.length === worn.components_created);
    for (const { event, body } of received) {
      expect(event).toBe("component.critical");
      expect(JSON.parse(String(body)).data).toMatchObject({ risk_tier: "CRITICAL", previous_tier: "GOOD" });
    }
    expect(await server.json("snapshot")).toMatchObject({ already_done: true });
    const { entries } = await server.json("audit", "--limit", "1");
    expect(entries[0]).toMatchObject({ action: "partner.announce", detail: expected });
    await receiver.close();
  });
});
