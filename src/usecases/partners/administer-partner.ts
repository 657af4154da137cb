import { notFound } from "../../domain/errors.ts";
import type { Partner, PartnerSettings, WebhookReceiver } from "../../domain/partner.ts";
import type { Instant } from "../../domain/time.ts";
import { newWebhookSecret } from "../../secrets/credentials.ts";
import type { Store, Tx } from "../../store/store.ts";
import { type Administration, refuseDeleted } from "./partners.ts";

type Subject = { partner: Partner; receiver: WebhookReceiver };

/** Changes a partner's settings. A receiver whose address is set is taken for healthy: it is no longer paused. */
export async function changePartner(
  administration: Administration,
  partnerId: string,
  settings: PartnerSettings,
): Promise<void> {
  const { dailyBudget, webhookUrl: url, webhookEvents: events, webhookConcurrency: concurrency } = settings;
  await change(administration, partnerId, async (tx, { partner }, record) => {
    if (dailyBudget !== undefined) {
      await tx.partners.update(partnerId, { dailyBudget });
      await record("partner.set_budget", { from: partner.dailyBudget, to: dailyBudget });
    }
    if (url === undefined && events === undefined && concurrency === undefined) return;
    const healthy = { failures: 0, failingSince: null, pausedAt: null, lastError: null };
    await tx.partners.updateReceiver(partnerId, {
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
 * Turns a partner on or off. While it is off its credentials are refused and its deliveries wait; they go out when it
 * is on again. Tokens that were live when it was turned off stay ended. Throws conflict for turning one on whose deletion
 * has begun.
 */
export async function setEnabled(
  administration: Administration,
  partnerId: string,
  enabled: boolean,
): Promise<void> {
  await change(administration, partnerId, async (tx, { partner }) => {
    if (enabled) await refuseDeleted(tx, partnerId);
    if (partner.enabled !== enabled) await setEnabledIn(tx, administration.actor, partner, enabled);
  });
}

/** The same in a transaction that does more. */
export async function setEnabledIn(tx: Tx, actor: string, partner: Partner, enabled: boolean): Promise<void> {
  const { id } = partner;
  const credentialGeneration = partner.credentialGeneration + (enabled ? 0 : 1);
  await tx.partners.update(id, { enabled, credentialGeneration });
  const action = enabled ? "partner.enable" : "partner.disable";
  await tx.audit.record({ at: tx.now, actor, action, subject: id, detail: {} });
}

/** Ends every bearer token issued so far, at once. The API key and the client credentials stay. */
export async function revokeTokens(administration: Administration, partnerId: string): Promise<void> {
  await change(administration, partnerId, async (tx, { partner }, record) => {
    const credentialGeneration = partner.credentialGeneration + 1;
    await tx.partners.update(partnerId, { credentialGeneration });
    await record("partner.revoke_tokens", { credential_generation: credentialGeneration });
  });
}

/**
 * A new webhook secret. It signs from now on; with an overlap the one before goes on signing for so long, and the new
 * one's signature is sent beside it. A secret that still waited for its turn is given up.
 */
export async function rotateWebhookSecret(
  administration: Administration,
  partnerId: string,
  overlapMs: number,
): Promise<{ secret: string; takesEffectAt: Instant }> {
  const secret = newWebhookSecret(administration.random);
  const sealed = await administration.sealer.seal(secret);
  return await change(administration, partnerId, async (tx, { receiver }, record) => {
    const takesEffectAt = tx.now + overlapMs;
    const current = (hasTakenOver(receiver, tx.now) && receiver.nextSecret) || receiver.secret;
    await tx.partners.updateReceiver(
      partnerId,
      overlapMs > 0
        ? { secret: current, nextSecret: sealed, rotatesAt: takesEffectAt }
        : { secret: sealed, nextSecret: null, rotatesAt: null },
    );
    await record("partner.rotate_webhook_secret", { overlap_ms: overlapMs });
    return { secret, takesEffectAt };
  });
}

/** Whether the overlap of a rotation is over, so that the next secret is the one that signs. */
export function hasTakenOver({ rotatesAt }: Pick<WebhookReceiver, "rotatesAt">, now: Instant): boolean {
  return rotatesAt !== null && rotatesAt <= now;
}

/** Forgets the secrets before, once their overlap is over, so that a clock set back can't bring them again. */
export async function finishRotations(store: Store): Promise<string[]> {
  return await store.write((tx) => tx.partners.finishRotations(tx.now));
}

/** One transaction on a partner that exists, noted for a server beside this process and told to this one. */
async function change<T>(
  { store, actor, changed }: Administration,
  partnerId: string,
  run: (
    tx: Tx,
    subject: Subject,
    record: (action: string, detail: Record<string, unknown>) => Promise<void>,
  ) => Promise<T>,
): Promise<T> {
  const result = await store.write(
    async (tx) => {
      const partner = await tx.partners.find(partnerId);
      const receiver = await tx.partners.findReceiver(partnerId);
      if (!partner || !receiver) throw notFound(`Partner not found: ${partnerId}`);
      await tx.partners.raiseRevision(partnerId);
      return await run(tx, { partner, receiver }, (action, detail) =>
        tx.audit.record({ at: tx.now, actor, action, subject: partnerId, detail }),
      );
    },
    { partnerId },
  );
  changed(partnerId);
  return result;
}
