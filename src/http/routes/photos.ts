import { invalid, notFound } from "../../domain/errors.ts";
import type { FillRandom } from "../../domain/ids.ts";
import type { Photo } from "../../domain/photo.ts";
import { toIso } from "../../domain/time.ts";
import type { PhotoRow } from "../../store/photos.ts";
import { newPhotoName, photoTooLarge, recordPhoto, type Uploads } from "../../usecases/photos.ts";
import { mediaType, readBytes } from "../body.ts";
import { created, type Operation, ok, partnerOperation } from "../operation.ts";

export type PhotoParts = { uploads: Uploads; photoBytes: number; basePath: string; random: FillRandom };

const FILENAME = /^[0-9a-f]{32}\.(jpg|png|webp|heic)$/;
/** What a multipart body holds beside the picture: boundaries, headers, the other field. */
const FORM_BYTES = 16_384;

export function photoOperations({ uploads, photoBytes, basePath, random }: PhotoParts): Operation[] {
  const view = (photo: PhotoRow) => ({
    filename: photo.filename,
    original_name: photo.originalName,
    url: `${basePath}/uploads/${photo.filename}`,
    uploaded_at: toIso(photo.uploadedAt),
    service_event_id: photo.serviceEventId,
    event_type: photo.eventType,
    event_date: photo.eventDate,
  });

  return [
    partnerOperation({
      id: "listAppliancePhotos",
      method: "GET",
      path: "/v1/appliances/{id}/photos",
      summary: "Photos of an appliance and of its service events",
      async handle({ params, partner, store }) {
        const appliance = await store.read.appliances.find(partner.id, params.id!);
        if (!appliance) throw notFound("Appliance not found");
        const photos = await store.read.photos.ofAppliance(appliance.id);
        return ok({
          appliance_id: appliance.id,
          type: appliance.typeId,
          brand: appliance.brand,
          model: appliance.model,
          service_event_photos: photos.filter((photo) => photo.serviceEventId !== null).map(view),
          appliance_photos: photos.filter((photo) => photo.serviceEventId === null).map(view),
          total: photos.length,
          partner: partner.name,
        });
      },
    }),
    partnerOperation({
      id: "createAppliancePhoto",
      method: "POST",
      path: "/v1/appliances/{id}/photos",
      summary: "Upload a photo of an appliance, or of one of its service events",
      body: "raw",
      async handle({ params, partner, request, store }) {
        if (!(await store.read.appliances.find(partner.id, params.id!)))
          throw notFound("Appliance not found");
        const { bytes, originalName, serviceEventId } = await readForm(request, photoBytes);
        const filename = newPhotoName(bytes, random);
        await uploads.write(filename, bytes);
        const picture = { applianceId: params.id!, serviceEventId, originalName, bytes, filename };
        const photo = await store
          .write((tx) => recordPhoto(tx, partner.id, picture))
          .catch(async (error) => {
            await uploads.remove(filename);
            throw error;
          });
        const event =
          photo.serviceEventId && (await store.read.serviceEvents.find(partner.id, photo.serviceEventId));
        return created({
          ...view({
            ...photo,
            eventType: event ? event.eventType : null,
            eventDate: event ? event.date : null,
          }),
          id: photo.id,
          partner: partner.name,
        });
      },
    }),
    partnerOperation({
      id: "getUpload",
      method: "GET",
      path: "/uploads/{filename}",
      summary: "A photo's bytes",
      async handle({ params, partner, store }) {
        const { filename = "" } = params;
        const photo = FILENAME.test(filename)
          ? await store.read.photos.findByFilename(partner.id, filename)
          : undefined;
        if (!photo) throw notFound("Photo not found");
        return { raw: uploads.read(photo.filename), headers: pictureHeaders(photo) };
      },
    }),
  ];
}

/** The picture and its service event, of a multipart form. */
async function readForm(request: Request, limit: number) {
  if (mediaType(request) !== "multipart/form-data")
    throw invalid("Send the picture as multipart/form-data in a field named file");
  const body = await readBytes(request, limit + FORM_BYTES);
  const form = await new Response(body, { headers: { "content-type": request.headers.get("content-type")! } })
    .formData()
    .catch(() => undefined);
  const file = form?.get("file");
  if (!form || !file || typeof file === "string")
    throw invalid("file required", [{ field: "file", message: "is required" }]);
  if (file.size > limit) throw photoTooLarge(limit);
  const event = form.get("service_event_id");
  const serviceEventId = typeof event === "string" && event.trim() !== "" ? event.trim().slice(0, 64) : null;
  return {
    bytes: new Uint8Array(await file.arrayBuffer()),
    originalName: file.name || "photo",
    serviceEventId,
  };
}

function pictureHeaders(photo: Photo): Record<string, string> {
  return {
    "content-type": photo.mediaType,
    "x-content-type-options": "nosniff",
    "content-disposition": `inline; filename="${photo.filename}"; filename*=UTF-8''${encodeURIComponent(photo.originalName).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`,
    "cache-control": "private, max-age=3600",
    "content-security-policy": "default-src 'none'; sandbox",
  };
}
