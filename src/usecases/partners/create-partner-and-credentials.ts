import { isApiRequiredTextLine } from "../../api-schemas/definition/schema-text-bounds.ts";
import { conflict, invalid, notFound, OperatorError } from "../../domain/errors.ts";
import type { FillRandom } from "../../domain/ids/record-ids.ts";
import type { Partner, PartnerCredentials } from "../../domain/partner.ts";
import { meetsWebhookUrlRule } from "../../domain/rules/webhook-url-rule.ts";
import { newApiKey, newClientId, newClientSecret, newWebhookSecret } from "../../secrets/credentials.ts";
import type { Encryptor } from "../../secrets/encryptor.ts";
import { hashSecret } from "../../secrets/secret-hash.ts";
import type { Store, Tx } from "../../store/store.ts";
import { webhookUrlRefusal } from "../../webhooks/webhook-address-policy.ts";

/** The dependencies of administration, from the command line and over HTTP. */
export type AdminUseCaseDeps = {
  store: Store;
  encryptor: Encryptor;
  random: FillRandom;
  /** The name in the audit log: `cli:<user>(<user id>)` or an administrator's id. */
  actor: string;
  /** Called after a change that affects a partner's credentials or deliveries. */
  changed: (partnerId: string) => void;
};

/**
 * Returns a name given by an operator, trimmed. Throws an OperatorError if it does not fit on a line of a list or
 * log.
 */
export function prepareOneLineName(given: string, what: string, example: string): string {
  if (isApiRequiredTextLine(given)) return given.trim();
  throw new OperatorError(`${what} must be one line of 1 to 500 characters`, `For example: ${example}`);
}

/** Creates a partner with all its credentials. */
export async function createPartner(
  { store, encryptor, random, actor }: AdminUseCaseDeps,
  input: { name: string; dailyBudget: number; webhookUrl: string | null },
): Promise<{ partner: Partner; credentials: PartnerCredentials }> {
  const name = prepareOneLineName(input.name, "a partner's name", 'mainstay partner create "Acme"');
  if (input.webhookUrl !== null) checkPartnerWebhookUrl(input.webhookUrl);
  const credentials: PartnerCredentials = {
    apiKey: newApiKey(random),
    clientId: newClientId(random),
    clientSecret: newClientSecret(random),
    webhookSecret: newWebhookSecret(random),
  };
  const encrypted = await encryptor.encrypt(credentials.webhookSecret);
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
    await tx.partners.insertEndpoint({
      partnerId: made.id,
      url: input.webhookUrl,
      secret: encrypted,
      events: null,
    });
    const detail = { name, daily_budget: made.dailyBudget, webhook_url: input.webhookUrl };
    await tx.audit.record({ at: tx.now, actor, action: "partner.create", subject: made.id, detail });
    return made;
  });
  return { partner, credentials };
}

/** Returns the partner; throws an OperatorError that says how to find its id. */
export async function requirePartner(store: Store, id: string): Promise<Partner> {
  const partner = await store.read.partners.find(id);
  if (!partner)
    throw new OperatorError(`partner not found: ${id}`, "Run `mainstay partner list` to see all.");
  return partner;
}

/**
 * Throws not_found for a partner that no longer exists, and conflict for one whose deletion has started on any
 * server, which revokes its credentials for good. Must be called in the transaction that would enable it.
 */
export async function refuseDeletedPartner(tx: Tx, partnerId: string): Promise<void> {
  if (!(await tx.partners.find(partnerId))) throw notFound(`Partner not found: ${partnerId}`);
  if ((await tx.partners.clientId(partnerId)) === undefined)
    throw conflict(
      "This partner is being deleted. Nothing was changed; purge it again to complete the deletion",
    );
}

/** Creates a new API key and revokes the previous one. Throws conflict for a partner whose deletion has started. */
export async function rotateApiKey(administration: AdminUseCaseDeps, partnerId: string): Promise<string> {
  const { store, random, actor } = administration;
  await requirePartner(store, partnerId);
  const apiKey = newApiKey(random);
  await store.write(
    async (tx) => {
      await refuseDeletedPartner(tx, partnerId);
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
 * Creates a new client secret for the same client id and revokes the previous one. Tokens issued with it stay valid
 * until they expire, unless `revokePartnerTokens` is called too. Throws conflict for a partner whose deletion has started.
 */
export async function rotateClientSecret(
  { store, random, actor }: AdminUseCaseDeps,
  partnerId: string,
): Promise<{ clientId: string; clientSecret: string }> {
  await requirePartner(store, partnerId);
  const clientSecret = newClientSecret(random);
  const clientId = await store.write(
    async (tx) => {
      await refuseDeletedPartner(tx, partnerId);
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

/**
 * Throws an OperatorError if the text cannot be a webhook URL, and invalid_request if no delivery to it could ever be sent.
 */
export function checkPartnerWebhookUrl(text: string): void {
  if (!meetsWebhookUrlRule(text))
    throw new OperatorError(
      "a webhook URL must be an absolute http or https URL without user name or control characters",
      "For example: https://receiver.example/hooks",
    );
  const message = webhookUrlRefusal(text);
  if (message !== undefined) throw invalid(`webhook_url: ${message}`, [{ field: "webhook_url", message }]);
}
