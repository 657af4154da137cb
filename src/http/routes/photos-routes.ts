import {
  applianceInPath,
  filenameInPath,
  PAGE_SIZES,
  photoInPath,
  photoPagingParameters,
} from "../../api-schemas/api-parameter-schemas.ts";
import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import {
  photoReply,
  photosReply,
  serializePhoto,
  serializePhotos,
  upload,
} from "../../api-schemas/photo-schema.ts";
import { invalid, notFound } from "../../domain/errors.ts";
import type { FillRandom } from "../../domain/ids/record-ids.ts";
import { MOST_PHOTOS, type Photo, photoTooLargeFailure } from "../../domain/photo.ts";
import type { Tx } from "../../store/store.ts";
import type { StoredRowRange } from "../../store/stored-row-range.ts";
import {
  nameRecordedPhoto,
  type PhotoFiles,
  recordPhoto,
  removePhoto,
  requirePhotoQuota,
} from "../../usecases/photos/record-appliance-photos.ts";
import {
  type Call,
  createdReplies,
  createdReply,
  type Operation,
  okReplies,
  okReply,
  partnerOperation,
  readOperationReplies,
} from "../http-operation.ts";
import { parseRowRangeHttpQuery } from "../http-query-parameters.ts";
import { requestMediaType } from "../request-body.ts";

export type PhotoDeps = {
  uploads: PhotoFiles;
  photoBytes: number;
  /** The most bytes that all photos of a partner may take together; 0 for no limit. */
  photoBytesPerPartner: number;
  basePath: string;
  random: FillRandom;
};

const FILENAME = /^[0-9a-f]{32}\.(jpg|png|webp|heic)$/;
/** Room in a multipart body for everything but the image: boundaries, headers, the other field. */
const FORM_BYTES = 16_384;

export function photoOperations(deps: PhotoDeps): Operation[] {
  const { uploads, photoBytes, photoBytesPerPartner, basePath, random } = deps;
  return [
    partnerOperation({
      id: "listAppliancePhotos",
      method: "GET",
      path: "/v1/appliances/{id}/photos",
      summary: "List photos of an appliance and its service events",
      tag: "Appliances",
      description:
        "In the order of their upload, those of service events and of the appliance itself counted together.",
      parameters: [applianceInPath, ...photoPagingParameters],
      replies: readOperationReplies("The photos", photosReply),
      async handle({ params, partner, query, store }) {
        const appliance = await store.read.appliances.find(partner.id, params.id!);
        if (!appliance) throw notFound("Appliance not found");
        const slice = parseRowRangeHttpQuery(query, PAGE_SIZES.most);
        const photos = await pageOfPhotos(store.read, appliance.id, slice);
        return okReply(addPartnerToJson(serializePhotos(basePath, appliance, photos), partner.name));
      },
    }),
    partnerOperation({
      id: "createAppliancePhoto",
      method: "POST",
      path: "/v1/appliances/{id}/photos",
      summary: "Upload a photo of an appliance, or of one of its service events",
      description: `Accepts a JPEG, PNG, WebP or HEIC image of up to 10 MiB in the field \`file\`. The format is detected from its first bytes. An appliance has at most ${MOST_PHOTOS} photos; another is rejected with 409. All photos of a partner together have a size limit, too, which the operator sets; above it, uploads are rejected with 413. With \`Idempotency-Key\`, a body is the same if its image, file name and \`service_event_id\` are.`,
      tag: "Appliances",
      parameters: [applianceInPath],
      request: {
        type: upload,
        example: { file: "(the image bytes)" },
        mediaTypes: ["multipart/form-data"],
      },
      replies: createdReplies("The photo", photoReply),
      errors: [409],
      body: "raw",
      idempotent: true,
      async handle({ params, partner, readBody, request, store, runOnce }) {
        if (!(await store.read.appliances.find(partner.id, params.id!)))
          throw notFound("Appliance not found");
        // Before the image is received, unless its photo may be stored already. The transaction checks it again.
        if (!request.headers.has("idempotency-key"))
          await requirePhotoQuota(store.read, partner.id, 1, photoBytesPerPartner);
        const { bytes, originalName, serviceEventId } = await readForm({ readBody, request }, photoBytes);
        // The boundaries in the body of a repeated request may be others.
        const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
        const content = JSON.stringify({ sha256, originalName, serviceEventId });
        return await runOnce(content, async (once) => {
          const filename = nameRecordedPhoto(bytes, random);
          await uploads.write(filename, bytes);
          const image = { applianceId: params.id!, serviceEventId, originalName, bytes, filename };
          const write = async (tx: Tx) => {
            await uploads.writeWithRecord(tx, filename, bytes);
            const photo = await recordPhoto(tx, partner.id, image, photoBytesPerPartner);
            return createdReply(addPartnerToJson(serializePhoto(basePath, photo), partner.name));
          };
          try {
            return await store.write((tx) => once(tx, () => write(tx)), { partnerId: partner.id });
          } catch (error) {
            await uploads.discard(filename);
            throw error;
          }
        });
      },
    }),
    partnerOperation({
      id: "removeAppliancePhoto",
      method: "DELETE",
      path: "/v1/appliances/{id}/photos/{photo_id}",
      summary: "Remove a photo of an appliance, or of one of its service events",
      description:
        "Deletes the photo and its file, which no longer counts toward the size limit of your photos. Its service event, and scores, stay as they are. Returns the first page of the photos that are left. This cannot be undone; removing it again is a 404.",
      tag: "Appliances",
      parameters: [applianceInPath, photoInPath],
      replies: okReplies("The photos that are left", photosReply),
      errors: [409],
      async handle({ params, partner, writePortfolio }) {
        const ids = { applianceId: params.id!, photoId: params.photo_id! };
        let file: string | undefined;
        const reply = await writePortfolio(async (writer) => {
          const { appliance, filename } = await removePhoto(writer, ids);
          file = filename;
          const left = await pageOfPhotos(writer.tx, appliance.id, { limit: PAGE_SIZES.most, offset: 0 });
          return okReply(addPartnerToJson(serializePhotos(basePath, appliance, left), partner.name));
        });
        // The photo is gone already. A file that cannot be deleted now is removed by the sweep of uploads.
        await uploads.remove(file!).catch(() => {});
        return reply;
      },
    }),
    partnerOperation({
      id: "getUpload",
      method: "GET",
      path: "/uploads/{filename}",
      summary: "Download a photo",
      description: "Requires the same credentials as the API. Partners can download only their own photos.",
      tag: "Appliances",
      parameters: [filenameInPath],
      replies: { 200: { description: "The image", type: null, mediaType: "image/*" } },
      async handle({ params, partner, request, store }) {
        const { filename = "" } = params;
        const photo = FILENAME.test(filename)
          ? await store.read.photos.findByFilename(partner.id, filename)
          : undefined;
        if (!photo) throw notFound("Photo not found");
        const image = await uploads.read(photo.filename);
        // For a file, Bun answers a Range itself, with a part or with an error of its own; bytes it sends whole.
        const raw = request.headers.has("range") ? new Blob([await image.arrayBuffer()]) : image;
        return { raw, headers: imageHeaders(photo) };
      },
    }),
  ];
}

async function pageOfPhotos({ photos }: Pick<Tx, "photos">, applianceId: string, slice: StoredRowRange) {
  const page = await photos.page(applianceId, slice);
  return { page, slice, total: await photos.count(applianceId) };
}

/** Reads the image and the service event's ID from a multipart form. */
async function readForm({ readBody, request }: Pick<Call, "readBody" | "request">, limit: number) {
  if (requestMediaType(request) !== "multipart/form-data")
    throw invalid("Content-Type must be multipart/form-data, with the image in the field file");
  const body = await readBody(limit + FORM_BYTES);
  const form = await new Response(body, { headers: { "content-type": request.headers.get("content-type")! } })
    .formData()
    .catch(() => undefined);
  const file = form?.get("file");
  if (!form || !file || typeof file === "string")
    throw invalid("file required", [{ field: "file", message: "is required" }]);
  for (const field of ["file", "service_event_id"])
    if (form.getAll(field).length > 1)
      throw invalid(`one ${field} only`, [
        { field, message: "must be given once: send a request for each photo" },
      ]);
  if (file.size > limit) throw photoTooLargeFailure(limit);
  const event = form.get("service_event_id");
  const serviceEventId = typeof event === "string" && event.trim() !== "" ? event.trim().slice(0, 64) : null;
  return {
    bytes: new Uint8Array(await file.arrayBuffer()),
    originalName: file.name || "photo",
    serviceEventId,
  };
}

function imageHeaders(photo: Photo): Record<string, string> {
  return {
    "content-type": photo.mediaType,
    "x-content-type-options": "nosniff",
    "content-disposition": `inline; filename="${photo.filename}"; filename*=UTF-8''${encodeURIComponent(photo.originalName).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`,
    "cache-control": "private, max-age=3600",
    "content-security-policy": "default-src 'none'; sandbox",
  };
}
