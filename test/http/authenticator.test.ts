import { expect, test } from "bun:test";
import { Authenticator } from "../../src/http/authenticator.ts";
import { bearerTokenSecrets } from "../../src/secrets/bearer-tokens.ts";
import type { MasterKey } from "../../src/secrets/master-key.ts";
import { createPartner } from "../../src/usecases/partners/create-partner-and-credentials.ts";
import { usePartnerStore } from "../support/partner-store.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const open = usePartnerStore();

// Rule: cache-current
test("what is kept of a partner's credentials goes with its data, and a token when it expires", async () => {
  const { store, administration, clock, time } = await open(NOON);
  const tokens = bearerTokenSecrets(new Uint8Array(32) as MasterKey, (bytes) => bytes.fill(1));
  const authenticator = new Authenticator(store, tokens, clock, store.read.partners);
  const { partner, credentials } = await createPartner(administration, {
    name: "Acme",
    dailyBudget: 25,
    webhookUrl: null,
  });
  const { token } = (await authenticator.issueToken(credentials.clientId, credentials.clientSecret))!;
  const signIn = async () => {
    await authenticator.authenticate(new Headers({ "x-api-key": credentials.apiKey }));
    await authenticator.authenticate(new Headers({ authorization: `Bearer ${token}` }));
  };
  const kept = async (revisions = store.read.partners.revisions()) => {
    authenticator.dropSuperseded(await revisions);
    return authenticator.size;
  };
  await signIn();
  expect(await kept()).toBe(2);
  expect(await kept(Promise.resolve(new Map()))).toBe(0);
  await signIn();
  await store.write((tx) => tx.partners.bumpRevision(partner.id));
  expect(await kept()).toBe(0);
  await signIn();
  time.now += 2 * 3_600_000;
  expect(await kept()).toBe(1);
});
