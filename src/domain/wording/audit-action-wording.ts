type Detail = Readonly<Record<string, unknown>>;
type Sentence = (subject: string, detail: Detail) => string;

const fieldsOf = ({ fields, after }: Detail): string => {
  const names = Array.isArray(fields) ? fields : Object.keys((after as object | undefined) ?? {});
  return names.length === 0 ? "" : ` (${names.join(", ").replaceAll("_", " ")})`;
};
const counted = (n: unknown, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
const text = (value: unknown, otherwise: string) =>
  value === null || value === undefined || value === "" ? otherwise : String(value);

/** The predicate of a sentence about each change of the audit log, whose subject is the actor. */
const SENTENCES = {
  "admin.create": (subject, { name }) => `created the administrator ${text(name, subject)}`,
  "admin.revoke": (subject) => `revoked the key of ${subject}`,
  "partner.create": (subject) => `created ${subject}`,
  "partner.rename": (subject, { from }) => `renamed ${subject}, formerly ${text(from, "without a name")}`,
  "partner.enable": (subject) => `enabled ${subject}`,
  "partner.disable": (subject) => `disabled ${subject}`,
  "partner.set_budget": (subject, { to }) => `set the daily call limit of ${subject} to ${to}`,
  "partner.set_webhook": (subject, after) =>
    `changed the webhook endpoint of ${subject}${fieldsOf({ after })}`,
  "partner.set_brand": (subject) => `changed the brand of ${subject}`,
  "partner.rotate_key": (subject) => `replaced the API key of ${subject}`,
  "partner.rotate_secret": (subject) => `replaced the client secret of ${subject}`,
  "partner.rotate_webhook_secret": (subject) => `replaced the webhook secret of ${subject}`,
  "partner.revoke_tokens": (subject) => `revoked the tokens of ${subject}`,
  "partner.webhook_test": (subject) => `sent a test event to ${subject}`,
  "partner.probe_webhook": (subject) => `tested whether the endpoint of ${subject} verifies signatures`,
  "partner.announce": (subject, { queued }) => `queued ${counted(queued, "alert")} for ${subject}`,
  "partner.purge": (subject) => `started to delete ${subject}`,
  "partner.purged": (subject) => `deleted ${subject} with all its data`,
  "cost_book.change": (subject) => `changed the cost book of ${subject}`,
  "portfolio.import": (subject) => `imported records of ${subject}`,
  "delivery.resend": (subject) => `resent the delivery ${subject}`,
  "delivery.resend_failed": (subject, { matched, error }) =>
    `resent ${counted(matched, "failed delivery", "failed deliveries")} of ${subject}${typeof error === "string" ? ` with the error “${error}”` : ""}`,
  "embed.create": (subject, { property_id }) => `created the embed ${subject} of ${property_id}`,
  "embed.update": (subject, detail) => `changed the embed ${subject}${fieldsOf(detail)}`,
  "embed.revoke": (subject) => `revoked the embed ${subject}`,
  "job.run": (subject) => `ran the job ${subject}`,
  "snapshot.discard": (subject) => `discarded the snapshots after ${subject}`,
  "model.apply": (subject) => `activated model ${subject}`,
  "model.revert": (subject) => `reverted model ${subject}`,
  "fit.begin": () => "started a calibration",
  "fit.finish": () => "finished a calibration",
  "fit.fail": () => "ended a calibration that failed",
  "fit.apply": () => "activated the calibration",
  "property.update": (subject, detail) => `corrected the property ${subject}${fieldsOf(detail)}`,
  "property.merge": (subject) => `merged a property into ${subject}`,
  "property.retire": (subject) => `retired the property ${subject}`,
  "property.restore": (subject) => `brought back the property ${subject}`,
  "property.retired": (subject) => `retired the property ${subject} on its day`,
  "appliance.update": (subject, detail) => `corrected the appliance ${subject}${fieldsOf(detail)}`,
  "appliance.move": (subject) => `moved the appliance ${subject}`,
  "appliance.flags": (subject) => `changed the hazards of the appliance ${subject}`,
  "appliance.retire": (subject) => `retired the appliance ${subject}`,
  "appliance.restore": (subject) => `brought back the appliance ${subject}`,
  "appliance.retired": (subject) => `retired the appliance ${subject} on its day`,
  "component.update": (subject, detail) => `corrected the component ${subject}${fieldsOf(detail)}`,
  "claim.update": (subject, detail) => `corrected the claim ${subject}${fieldsOf(detail)}`,
  "claim.void": (subject) => `voided the claim ${subject}`,
  "service_event.update": (subject, detail) => `corrected the service event ${subject}${fieldsOf(detail)}`,
  "service_event.void": (subject) => `voided the service event ${subject}`,
  "photo.remove": (subject) => `removed the photo ${subject}`,
  "work.mark": (subject, detail) => `marked work on ${subject}${fieldsOf(detail)}`,
} satisfies Record<string, Sentence>;

/** The change that an entry of the audit log is about. */
export type AuditAction = keyof typeof SENTENCES;

export const AUDIT_ACTIONS = Object.keys(SENTENCES) as [AuditAction, ...AuditAction[]];

/** Returns what an entry says of its actor: "revoked the key of Acme Insurance". An unknown action is named. */
export function auditActionWording(
  { action, detail }: { action: string; detail: Detail },
  /** The subject's name, or its ID where it has none. */
  subject: string,
): string {
  const sentences: Readonly<Partial<Record<string, Sentence>>> = SENTENCES;
  return sentences[action]?.(subject, detail) ?? `${action} ${subject}`;
}
