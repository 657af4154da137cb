import { type Embed, type EmbedChange, embedNotFoundFailure, type NewEmbed } from "../../domain/embed.ts";
import { conflict, OperatorError } from "../../domain/errors.ts";
import { propertyNotFound } from "../../domain/property.ts";
import { checkNotRetiredRule } from "../../domain/rules/retirement-rule.ts";
import { MS_PER_DAY } from "../../domain/time.ts";
import { newEmbedToken } from "../../secrets/credentials.ts";
import { hashPasscode } from "../../secrets/passcode.ts";
import { hashSecret } from "../../secrets/secret-hash.ts";
import type { AdminUseCaseDeps } from "../partners/create-partner-and-credentials.ts";

/**
 * Creates an embed of a property; its token is shown once and stored as a hash.
 */
export async function createEmbed(
  { store, random, actor }: Pick<AdminUseCaseDeps, "store" | "random" | "actor">,
  { propertyId, days, label = null, recipient = null, passcode = null }: NewEmbed,
): Promise<{ embed: Embed; token: string }> {
  const partnerId = await store.read.properties.ownerOf(propertyId);
  if (partnerId === undefined)
    throw new OperatorError(
      `property not found: ${propertyId}`,
      "Find its ID with GET /v1/properties or `mainstay export`.",
    );
  const token = newEmbedToken(random);
  const passcodeHash = passcode === null ? null : await hashPasscode(passcode);
  const embed = await store.write(
    async (tx) => {
      // The property may have been deleted with its partner meanwhile.
      const property = await tx.properties.find(partnerId, propertyId);
      if (!property) throw propertyNotFound();
      checkNotRetiredRule("Property", property);
      const made: Embed = {
        id: tx.newId("embed"),
        partnerId,
        propertyId,
        label,
        recipient,
        passcodeHash,
        createdAt: tx.now,
        expiresAt: days === null ? null : tx.now + days * MS_PER_DAY,
        revokedAt: null,
        views: 0,
        lastViewedAt: null,
      };
      await tx.embeds.insert({ ...made, tokenHash: hashSecret(token) });
      const detail = {
        property_id: propertyId,
        partner_id: partnerId,
        expires_days: days,
        ...(label !== null && { label }),
        ...(recipient !== null && { recipient }),
        ...(passcode !== null && { has_passcode: true }),
      };
      await tx.audit.record({ at: tx.now, actor, action: "embed.create", subject: made.id, detail });
      return made;
    },
    { partnerId },
  );
  return { embed, token };
}

/**
 * Changes the label, the recipient or the passcode of an embed and returns it. Viewers who have entered the previous
 * passcode must enter the new one. Throws not_found, and conflict for a revoked embed.
 */
export async function updateEmbed(
  { store, actor }: Pick<AdminUseCaseDeps, "store" | "actor">,
  id: string,
  { passcode, ...texts }: EmbedChange,
): Promise<Embed> {
  const hash = typeof passcode === "string" ? await hashPasscode(passcode) : passcode;
  return await store.write(async (tx) => {
    const found = await tx.embeds.find(id);
    if (!found) throw embedNotFoundFailure();
    // Read again under the lock: another server may be changing it.
    await tx.forPartner(found.partnerId);
    const embed = await tx.embeds.find(id);
    if (!embed) throw embedNotFoundFailure();
    if (embed.revokedAt !== null) throw conflict("Embed is revoked; create a new one");
    const next = { ...embed, ...texts, ...(hash !== undefined && { passcodeHash: hash }) };
    const { label, recipient, passcodeHash } = next;
    const fields = [
      ...(label === embed.label ? [] : ["label"]),
      ...(recipient === embed.recipient ? [] : ["recipient"]),
      ...(passcodeHash === embed.passcodeHash ? [] : ["passcode"]),
    ];
    if (fields.length === 0) return embed;
    await tx.embeds.update(id, { label, recipient, passcodeHash });
    const detail = {
      partner_id: embed.partnerId,
      fields,
      label,
      recipient,
      has_passcode: passcodeHash !== null,
    };
    await tx.audit.record({ at: tx.now, actor, action: "embed.update", subject: id, detail });
    return next;
  });
}

/** Revokes an embed's token. Returns false if there is no such embed, or if it was revoked before. */
export async function revokeEmbed(
  { store, actor }: Pick<AdminUseCaseDeps, "store" | "actor">,
  id: string,
): Promise<boolean> {
  return await store.write(async (tx) => {
    if (!(await tx.embeds.revoke(id, tx.now))) return false;
    const detail = { partner_id: (await tx.embeds.find(id))!.partnerId };
    await tx.audit.record({ at: tx.now, actor, action: "embed.revoke", subject: id, detail });
    return true;
  });
}
