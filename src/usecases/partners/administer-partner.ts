import { notFound } from "../../domain/errors.ts";
import type { Partner, PartnerSettings, WebhookEndpoint } from "../../domain/partner.ts";
import { hasSecretRotationEndedRule } from "../../domain/rules/secret-rotation-rule.ts";
import type { Instant } from "../../domain/time.ts";
import type { AuditAction } from "../../domain/wording/audit-action-wording.ts";
import { newWebhookSecret } from "../../secrets/credentials.ts";
import type { Store, Tx } from "../../store/store.ts";
import {
  type AdminUseCaseDeps,
  checkPartnerWebhookUrl,
  prepareOneLineName,
  refuseDeletedPartner,
} from "./create-partner-and-credentials.ts";

type Subject = { partner: Partner; endpoint: WebhookEndpoint };

/** Changes a partner's settings. A webhook endpoint with a new URL counts as healthy: it is no longer paused. */
export async function changePartner(
  administration: AdminUseCaseDeps,
  partnerId: string,
  settings: PartnerSettings,
): Promise<void> {
  const { dailyBudget, webhookUrl: url, webhookEvents: events, webhookConcurrency: concurrency } = settings;
  const name =
    settings.name === undefined
      ? undefined
      : prepareOneLineName(settings.name, "a partner's name", 'mainstay partner rename PARTNER_… "Acme"');
  await change(administration, partnerId, async (tx, { partner, endpoint }, record) => {
    // A URL from before the check may be sent with other settings.
    if (typeof url === "string" && url !== endpoint.url) checkPartnerWebhookUrl(url);
    if (name !== undefined && name !== partner.name) {
      await tx.partners.update(partnerId, { name });
      await record("partner.rename", { from: partner.name, to: name });
    }
    if (dailyBudget !== undefined) {
      await tx.partners.update(partnerId, { dailyBudget });
      await record("partner.set_budget", { from: partner.dailyBudget, to: dailyBudget });
    }
    if (url === undefined && events === undefined && concurrency === undefined) return;
    const healthy = { failures: 0, failingSince: null, pausedAt: null, lastError: null };
    await tx.partners.updateEndpoint(partnerId, {
      ...(url !== undefined && { url, ...healthy }),
      ...(events !== undefined && { events }),
      ...(concurrency !== undefined && { concurrency }),
    });
    await record("partner.set_webhook", {
      ...(url !== undefined && { webhook_url: url }),
      ...(events !== undefined && { webhook_events: events }),
      ...(concurrency !== undefined && { webhook_concurrency: concurrency }),
    });
  });
}

/**
 * Enables or disables a partner. While it is disabled, its credentials are refused and its deliveries wait; they
 * are sent once it is enabled again. Tokens revoked by disabling stay revoked. Throws conflict for enabling a
 * partner whose deletion has started.
 */
export async function enableOrDisablePartner(
  administration: AdminUseCaseDeps,
  partnerId: string,
  enabled: boolean,
): Promise<void> {
  await change(administration, partnerId, async (tx, { partner }) => {
    if (enabled) await refuseDeletedPartner(tx, partnerId);
    if (partner.enabled !== enabled)
      await setPartnerEnabledInTransaction(tx, administration.actor, partner, enabled);
  });
}

/** Enables or disables a partner inside the caller's transaction. */
export async function setPartnerEnabledInTransaction(
  tx: Tx,
  actor: string,
  partner: Partner,
  enabled: boolean,
): Promise<void> {
  const { id } = partner;
  const credentialGeneration = partner.credentialGeneration + (enabled ? 0 : 1);
  await tx.partners.update(id, { enabled, credentialGeneration });
  const action = enabled ? "partner.enable" : "partner.disable";
  await tx.audit.record({ at: tx.now, actor, action, subject: id, detail: {} });
}

/** Revokes all bearer tokens issued so far. The API key and the client credentials stay valid. */
export async function revokePartnerTokens(
  administration: AdminUseCaseDeps,
  partnerId: string,
): Promise<void> {
  await change(administration, partnerId, async (tx, { partner }, record) => {
    const credentialGeneration = partner.credentialGeneration + 1;
    await tx.partners.update(partnerId, { credentialGeneration });
    await record("partner.revoke_tokens", { credential_generation: credentialGeneration });
  });
}

/**
 * Creates a new webhook secret, which signs from now on. With an overlap, the previous secret signs until the
 * overlap ends and the new one's signature is sent beside it. A secret whose overlap has not ended yet is replaced.
 */
export async function rotateWebhookSecret(
  administration: AdminUseCaseDeps,
  partnerId: string,
  overlapMs: number,
): Promise<{ secret: string; takesEffectAt: Instant }> {
  const secret = newWebhookSecret(administration.random);
  const encrypted = await administration.encryptor.encrypt(secret);
  return await change(administration, partnerId, async (tx, { endpoint }, record) => {
    const takesEffectAt = tx.now + overlapMs;
    const current = (hasSecretRotationEndedRule(endpoint, tx.now) && endpoint.nextSecret) || endpoint.secret;
    await tx.partners.updateEndpoint(
      partnerId,
      overlapMs > 0
        ? { secret: current, nextSecret: encrypted, rotatesAt: takesEffectAt }
        : { secret: encrypted, nextSecret: null, rotatesAt: null },
    );
    await record("partner.rotate_webhook_secret", { overlap_ms: overlapMs });
    return { secret, takesEffectAt };
  });
}

/** Deletes previous secrets whose overlap has ended, so that a clock that is set back cannot reactivate them. */
export async function finishPartnerSecretRotations(store: Store): Promise<string[]> {
  return await store.write((tx) => tx.partners.finishRotations(tx.now));
}

/**
 * Runs one transaction on an existing partner, visible to a server in another process, and notifies this process.
 */
async function change<T>(
  { store, actor, changed }: AdminUseCaseDeps,
  partnerId: string,
  run: (
    tx: Tx,
    subject: Subject,
    record: (action: AuditAction, detail: Record<string, unknown>) => Promise<void>,
  ) => Promise<T>,
): Promise<T> {
  const result = await store.write(
    async (tx) => {
      const partner = await tx.partners.find(partnerId);
      const endpoint = await tx.partners.findEndpoint(partnerId);
      if (!partner || !endpoint) throw notFound(`Partner not found: ${partnerId}`);
      await tx.partners.raiseRevision(partnerId);
      return await run(tx, { partner, endpoint }, (action, detail) =>
        tx.audit.record({ at: tx.now, actor, action, subject: partnerId, detail }),
      );
    },
    { partnerId },
  );
  changed(partnerId);
  return result;
}
