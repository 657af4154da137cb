import { conflict, notFound, OperatorError } from "../../domain/errors.ts";
import type { FillRandom } from "../../domain/ids.ts";
import { isReceiverUrl, type Partner, type PartnerCredentials } from "../../domain/partner.ts";
import { newApiKey, newClientId, newClientSecret, newWebhookSecret } from "../../secrets/credentials.ts";
import { hashSecret } from "../../secrets/hash.ts";
import type { Sealer } from "../../secrets/sealer.ts";
import type { Store, Tx } from "../../store/store.ts";
import { isRequiredLine } from "../../wire/schema/text-bounds.ts";

/** What administering partners and administrators works with, from the command line and over HTTP alike. */
export type Administration = {
  store: Store;
  sealer: Sealer;
  random: FillRandom;
  /** Whom the audit log names: `cli:<user>(<user id>)` or an administrator's id. */
  actor: string;
  /** Told after a change that a partner's credentials or deliveries depend on. */
  changed: (partnerId: string) => void;
};

/** A name that an operator gave, trimmed. Throws an OperatorError when lists and logs can't show it in a line. */
export function readName(given: string, what: string, example: string): string {
  if (isRequiredLine(given)) return given.trim();
  throw new OperatorError(`${what} is one line of 1 to 500 characters`, `For example: ${example}`);
}

/** Creates a partner with all its credentials. */
export async function createPartner(
  { store, sealer, random, actor }: Administration,
  input: { name: string; dailyBudget: number; webhookUrl: string | null },
): Promise<{ partner: Partner; credentials: PartnerCredentials }> {
  const name = readName(input.name, "a partner's name", 'mainstay partner create "Acme"');
  if (input.webhookUrl !== null) checkReceiverUrl(input.webhookUrl);
  const credentials: PartnerCredentials = {
    apiKey: newApiKey(random),
    clientId: newClientId(random),
    clientSecret: newClientSecret(random),
    webhookSecret: newWebhookSecret(random),
  };
  const sealed = await sealer.seal(credentials.webhookSecret);
  const partner = await store.write(async (tx) => {
    const made: Partner = {
      id: tx.newId("partner"),
      name,
      enabled: true,
      dailyBudget: input.dailyBudget,
      credentialGeneration: 1,
      createdAt: tx.now,
    };
    await tx.partners.insert(made);
    const common = { partnerId: made.id, createdAt: tx.now };
    await tx.partners.insertCredential({
      ...common,
      kind: "api_key",
      secretHash: hashSecret(credentials.apiKey),
      clientId: null,
    });
    await tx.partners.insertCredential({
      ...common,
      kind: "client_secret",
      secretHash: hashSecret(credentials.clientSecret),
      clientId: credentials.clientId,
    });
    await tx.partners.insertReceiver({
      partnerId: made.id,
      url: input.webhookUrl,
      secret: sealed,
      events: null,
    });
    const detail = { name, daily_budget: made.dailyBudget, webhook_url: input.webhookUrl };
    await tx.audit.record({ at: tx.now, actor, action: "partner.create", subject: made.id, detail });
    return made;
  });
  return { partner, credentials };
}

/** The partner, or an OperatorError that says how to find it. */
export async function requirePartner(store: Store, id: string): Promise<Partner> {
  const partner = await store.read.partners.find(id);
  if (!partner)
    throw new OperatorError(`there is no partner ${id}`, "`mainstay partner list` shows them all.");
  return partner;
}

/**
 * Throws not_found for a partner that is gone, and conflict for one whose deletion has begun, on whichever server: that
 * ends its client credentials for good. To be asked in the transaction that lets it in again.
 */
export async function refuseDeleted(tx: Tx, partnerId: string): Promise<void> {
  if (!(await tx.partners.find(partnerId))) throw notFound(`Partner not found: ${partnerId}`);
  if ((await tx.partners.clientId(partnerId)) === undefined)
    throw conflict(
      "This partner is being deleted. Nothing was changed; ask for its deletion again to end that",
    );
}

/** A new API key; the one before ends at once. Throws conflict for a partner whose deletion has begun. */
export async function rotateApiKey(administration: Administration, partnerId: string): Promise<string> {
  const { store, random, actor } = administration;
  await requirePartner(store, partnerId);
  const apiKey = newApiKey(random);
  await store.write(
    async (tx) => {
      await refuseDeleted(tx, partnerId);
      await tx.partners.revokeCredentials(partnerId, "api_key", tx.now);
      await tx.partners.insertCredential({
        partnerId,
        kind: "api_key",
        secretHash: hashSecret(apiKey),
        clientId: null,
        createdAt: tx.now,
      });
      await tx.audit.record({
        at: tx.now,
        actor,
        action: "partner.rotate_key",
        subject: partnerId,
        detail: {},
      });
    },
    { partnerId },
  );
  administration.changed(partnerId);
  return apiKey;
}

/**
 * A new client secret for the same client id; the one before ends at once. Tokens that were issued with it live to
 * their end, unless `revokeTokens` ends them too. Throws conflict for a partner whose deletion has begun.
 */
export async function rotateClientSecret(
  { store, random, actor }: Administration,
  partnerId: string,
): Promise<{ clientId: string; clientSecret: string }> {
  await requirePartner(store, partnerId);
  const clientSecret = newClientSecret(random);
  const clientId = await store.write(
    async (tx) => {
      await refuseDeleted(tx, partnerId);
      const replaced = await tx.partners.replaceClientSecret(partnerId, hashSecret(clientSecret), tx.now);
      const detail = { client_id: replaced };
      await tx.audit.record({
        at: tx.now,
        actor,
        action: "partner.rotate_secret",
        subject: partnerId,
        detail,
      });
      return replaced!;
    },
    { partnerId },
  );
  return { clientId, clientSecret };
}

/** A webhook URL that can be one, or an OperatorError. */
export function checkReceiverUrl(text: string): void {
  if (isReceiverUrl(text)) return;
  throw new OperatorError(
    "a webhook URL is an absolute http or https address without a user name or control characters",
    "For example: https://receiver.example/hooks",
  );
}
