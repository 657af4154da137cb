import type { Appliance } from "../domain/appliance.ts";
import type { ListedPhoto, Photo } from "../domain/photo.ts";
import { isoTextOfInstant } from "../domain/time.ts";
import { appliance } from "./appliance-schema.ts";
import { type JsonOf, SchemaType } from "./definition/api-schema-type.ts";
import {
  flagSchema,
  idSchema,
  instantSchema,
  listSchema,
  objectSchema,
  textSchema,
} from "./definition/schema-field-types.ts";
import { pagingFields, type RowRange, schemaWithPartner, serializePaging } from "./paging-schema.ts";
import { serviceEvent } from "./service-event-schema.ts";

/** The fields that every record of a photo shares. */
export const photoFields = {
  filename: textSchema("Name of the stored file", "5f0c9e1d2b7a48c3961e04d7ab52f8c0.jpg"),
  original_name: textSchema("Original file name", "tank.jpg"),
  uploaded_at: instantSchema("When the photo was uploaded"),
  service_event_id: idSchema("SE", "The service event; null for a photo of the appliance itself").orNull(),
};

const photo = objectSchema({
  id: idSchema("PH", "The photo's ID"),
  ...photoFields,
  url: textSchema("Path of the file; requires the same credentials as the API", "/api/uploads/k3v9.jpg"),
  event_type: serviceEvent.fields.event_type.describedAs("Type of the photo's service event").orNull(),
  event_date: serviceEvent.fields.date.describedAs("Date of the photo's service event").orNull(),
  event_voided: flagSchema(
    "Whether that service event was voided: the photo is evidence of nothing that counts",
    false,
  ),
});
export type PhotoJson = JsonOf<typeof photo>;

/** `basePath`: the path prefix of the API, such as `/api`. */
export const serializePhoto = photo.serializer((basePath: string, photo: ListedPhoto) => ({
  id: photo.id,
  filename: photo.filename,
  original_name: photo.originalName,
  url: `${basePath}/uploads/${photo.filename}`,
  uploaded_at: isoTextOfInstant(photo.uploadedAt),
  service_event_id: photo.serviceEventId,
  event_type: photo.eventType,
  event_date: photo.eventDate,
  event_voided: photo.isEventVoided,
}));

const photos = objectSchema({
  appliance_id: idSchema("A", "The appliance"),
  type: appliance.fields.type_id,
  brand: appliance.fields.brand,
  model: appliance.fields.model,
  service_event_photos: listSchema("Photos of the appliance's service events on this page", photo),
  appliance_photos: listSchema("Photos of the appliance itself on this page", photo),
  ...pagingFields,
});
export type PhotosJson = JsonOf<typeof photos>;

export const serializePhotos = photos.serializer(
  (
    basePath: string,
    appliance: Appliance,
    { page, slice, total }: { page: readonly ListedPhoto[]; slice: RowRange; total: number },
  ) => {
    const view = (photo: ListedPhoto) => serializePhoto(basePath, photo);
    return {
      appliance_id: appliance.id,
      type: appliance.typeId,
      brand: appliance.brand,
      model: appliance.model,
      service_event_photos: page.filter((photo) => photo.serviceEventId !== null).map(view),
      appliance_photos: page.filter((photo) => photo.serviceEventId === null).map(view),
      ...serializePaging(slice, total),
    };
  },
);
export const photosReply = schemaWithPartner(photos);

export const photoReply = schemaWithPartner(photo);

/** The record of a photo that was removed, for the audit log. */
export const serializeRemovedPhoto = (photo: Photo) => ({
  appliance_id: photo.applianceId,
  service_event_id: photo.serviceEventId,
  original_name: photo.originalName,
  bytes: photo.bytes,
  sha256: photo.sha256,
  uploaded_at: isoTextOfInstant(photo.uploadedAt),
});

/** The form of an upload, for the API document only: the handler parses multipart bodies itself. */
export const upload = objectSchema({
  file: new SchemaType<Blob>(
    { kind: "value", schema: { type: "string", format: "binary" } },
    { description: "The image", example: "(the image bytes)" },
  ),
  service_event_id: idSchema("SE", "The service event, if the photo belongs to one").orAbsent(),
});
