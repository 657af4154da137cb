import { OperatorError } from "../../domain/errors.ts";
import { newAdminKey } from "../../secrets/credentials.ts";
import { hashSecret } from "../../secrets/secret-hash.ts";
import { type AdminUseCaseDeps, prepareOneLineName } from "../partners/create-partner-and-credentials.ts";

/** Creates an administrator; the key is shown once and stored as a hash. */
export async function createAdministrator(
  { store, random, actor }: AdminUseCaseDeps,
  given: string,
): Promise<{ id: string; key: string }> {
  const name = prepareOneLineName(given, "an administrator's name", 'mainstay admin create "Night shift"');
  const key = newAdminKey(random);
  const id = await store.write(async (tx) => {
    const made = { id: tx.newId("administrator"), name, keyHash: hashSecret(key), createdAt: tx.now };
    await tx.administrators.insert({ ...made, revokedAt: null });
    await tx.audit.record({ at: tx.now, actor, action: "admin.create", subject: made.id, detail: { name } });
    return made.id;
  });
  return { id, key };
}

/** Revokes an administrator's key. */
export async function revokeAdministrator({ store, actor }: AdminUseCaseDeps, id: string): Promise<void> {
  await store.write(async (tx) => {
    if (!(await tx.administrators.revoke(id, tx.now)))
      throw new OperatorError(
        `administrator not found, or the key is revoked: ${id}`,
        "Run `mainstay admin list` to see all.",
      );
    await tx.audit.record({ at: tx.now, actor, action: "admin.revoke", subject: id, detail: {} });
  });
}
