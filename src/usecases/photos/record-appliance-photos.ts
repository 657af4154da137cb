import { serializeRemovedPhoto } from "../../api-schemas/photo-schema.ts";
import type { Appliance } from "../../domain/appliance.ts";
import { conflict, Failure, invalid, notFound } from "../../domain/errors.ts";
import { type ListedPhoto, MOST_PHOTOS, PHOTO_EXTENSIONS, type Photo } from "../../domain/photo.ts";
import { photoNameByRule, photoTypeByRule } from "../../domain/rules/photo-file-rule.ts";
import { checkNotRetiredRule } from "../../domain/rules/retirement-rule.ts";
import type { ServiceEvent } from "../../domain/service-event.ts";
import type { Instant } from "../../domain/time.ts";
import type { Store, Tx } from "../../store/store.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";

/** The storage of photo files. */
export type PhotoFiles = {
  /**
   * Writes a file atomically and durably, if files are stored beside the database. Rejects with a StorageError if that
   * would leave too little space for the database.
   */
  write(filename: string, bytes: Uint8Array): Promise<void>;
  /** Writes the file together with its record, if files are stored in the database. */
  writeWithRecord(tx: Tx, filename: string, bytes: Uint8Array): Promise<void>;
  /**
   * Removes a file whose record was not written. Never rejects: the sweep of uploads removes what stays. In the database it went
   * with the record, or stays with it where the outcome of the write is unknown.
   */
  discard(filename: string): Promise<void>;
  /** Rejects with not_found for a missing file. */
  read(filename: string): Promise<Blob>;
  remove(filename: string): Promise<void>;
  /** Yields the names of upload files, complete or partial, last written before the instant, in batches. */
  writtenBefore(instant: Instant): AsyncIterable<string[]>;
};

type NewPhoto = {
  applianceId: string;
  serviceEventId: string | null;
  originalName: string;
  bytes: Uint8Array;
  filename: string;
};

/** Throws payload_too_large if the photos of a partner would take more than `limit` bytes; 0 is no limit. */
export async function requirePhotoQuota(
  { totals }: Pick<Tx, "totals">,
  partnerId: string,
  bytes: number,
  limit: number,
): Promise<void> {
  if (limit === 0) return;
  const { photoBytes } = await totals.ofPartner(partnerId);
  if (photoBytes + bytes <= limit) return;
  throw new Failure(
    "payload_too_large",
    `The photos of a partner may take ${limit} bytes together, and yours take ${photoBytes}. Remove photos that you no longer need, or ask the operator for more.`,
  );
}

/**
 * Records a photo whose file is stored already, and counts its size. Throws not_found, conflict for a retired appliance, one
 * with the most photos already, or a voided service event, and payload_too_large if all photos of the partner would take more
 * than `limit` bytes.
 */
export async function recordPhoto(
  tx: Tx,
  partnerId: string,
  input: NewPhoto,
  limit: number,
): Promise<ListedPhoto> {
  const { applianceId, serviceEventId, bytes, filename } = input;
  const appliance = await tx.appliances.find(partnerId, applianceId);
  if (!appliance) throw notFound("Appliance not found");
  checkNotRetiredRule("Appliance", appliance);
  const present = await tx.photos.count(applianceId);
  if (present >= MOST_PHOTOS)
    throw conflict(
      `${applianceId} has ${present} photos, and an appliance may have ${MOST_PHOTOS}. Remove photos that you no longer need.`,
    );
  const event = serviceEventId === null ? undefined : await tx.serviceEvents.find(partnerId, serviceEventId);
  if (serviceEventId !== null) {
    if (event?.applianceId !== applianceId) throw notFound(`Service event not found: ${serviceEventId}`);
    if (event.voidedAt !== null)
      throw conflict(`Service event ${serviceEventId} was voided: upload the photo without service_event_id`);
  }
  const photo: Photo = {
    id: tx.newId("photo"),
    partnerId,
    applianceId,
    serviceEventId,
    filename,
    originalName: photoNameByRule(input.originalName),
    mediaType: photoTypeByRule(bytes)!,
    bytes: bytes.length,
    sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
    uploadedAt: tx.now,
  };
  await requirePhotoQuota(tx, partnerId, bytes.length, limit);
  await tx.photos.insert(photo);
  await tx.totals.addToPartner(partnerId, { photoBytes: bytes.length });
  tx.bumpRevision(partnerId);
  return {
    ...photo,
    eventType: event?.eventType ?? null,
    eventDate: event?.date ?? null,
    isEventVoided: false,
  };
}

/**
 * Moves the photos of a service event with it to another appliance. Throws conflict, with nothing written, where that would then
 * have more than an appliance may have.
 */
export async function movePhotosOfEvent(
  { photos }: Pick<Tx, "photos">,
  event: Pick<ServiceEvent, "id" | "applianceId">,
  to: string,
): Promise<void> {
  const moved = await photos.countOfEvent(event);
  if (moved === 0) return;
  const present = await photos.count(to);
  if (present + moved > MOST_PHOTOS)
    throw conflict(
      `${to} has ${present} photos, service event ${event.id} has ${moved}, and an appliance may have ${MOST_PHOTOS}. Remove photos that you no longer need.`,
    );
  await photos.moveOfEvent(event, to);
}

/**
 * Removes the record of a photo, and its size from the partner's. The caller deletes the file once this is committed: the
 * sweep of uploads deletes it after a crash in between. Throws not_found, and conflict for a retired appliance.
 */
export async function removePhoto(
  writer: PortfolioWriter,
  { applianceId, photoId }: { applianceId: string; photoId: string },
): Promise<{ appliance: Appliance; filename: string }> {
  const { tx, partner } = writer;
  const appliance = await tx.appliances.find(partner.id, applianceId);
  if (!appliance) throw notFound("Appliance not found");
  checkNotRetiredRule("Appliance", appliance);
  const removed = await tx.photos.remove(applianceId, photoId);
  if (!removed) throw notFound("Photo not found");
  await tx.totals.addToPartner(partner.id, { photoBytes: -removed.bytes });
  await writer.auditCorrection("photo.remove", photoId, serializeRemovedPhoto(removed), {});
  return { appliance, filename: removed.filename };
}

/**
 * Returns a random file name with the extension of the image type. Throws invalid_request for a file that is no
 * image.
 */
export function nameRecordedPhoto(bytes: Uint8Array, random: (bytes: Uint8Array) => Uint8Array): string {
  const mediaType = photoTypeByRule(bytes);
  if (!mediaType) {
    const message = "must be a JPEG, PNG, WebP or HEIC image";
    throw invalid(`file ${message}`, [{ field: "file", message }]);
  }
  const name = Buffer.from(random(new Uint8Array(16))).toString("hex");
  return `${name}.${PHOTO_EXTENSIONS[mediaType]}`;
}

/**
 * Deletes the files written before the instant that no photo refers to, left by a crash between file and record.
 * Returns their number.
 */
export async function deleteOrphanedPhotos(
  { read }: Pick<Store, "read">,
  uploads: PhotoFiles,
  before: Instant,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for await (const names of uploads.writtenBefore(before)) {
    signal.throwIfAborted();
    const known = await read.photos.known(names);
    for (const name of names.filter((name) => !known.has(name))) {
      await uploads.remove(name);
      removed++;
    }
  }
  return removed;
}
