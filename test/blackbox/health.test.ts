import { expect, test } from "bun:test";
import { useMainstay } from "../support/mainstay.ts";

const { serve } = useMainstay();

test("a new server is healthy and has taken no snapshot yet", async () => {
  const server = await serve();
  const { body } = await server.anonymous.get("/health");
  expect(body).toEqual({
    status: "ok",
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    uptime_s: expect.any(Number),
    checks: { database: "ok", scheduler: "off", outbox: "ok" },
    last_snapshot: null,
  });
});
