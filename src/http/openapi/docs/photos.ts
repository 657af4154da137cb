import { type } from "arktype";
import { day, ids, instant, text, whole } from "../../replies/fields.ts";
import { createdReply, type OperationDocs, read } from "./types.ts";

const pathExample = "A_01m7xtg2ygf8k9f4t40jrqnxfy";
const photoFields = {
  filename: text,
  original_name: text,
  url: text,
  uploaded_at: instant,
  service_event_id: ids.serviceEvent.or("null"),
  event_type: text.or("null"),
  event_date: day.or("null"),
} as const;

export const photoDocs: Record<string, OperationDocs> = {
  listAppliancePhotos: {
    tag: "Appliances",
    pathExample,
    replies: read(
      "The photos",
      type({
        appliance_id: ids.appliance,
        type: text,
        brand: text.or("null"),
        model: text.or("null"),
        service_event_photos: type(photoFields).array(),
        appliance_photos: type(photoFields).array(),
        total: whole,
        partner: text,
      }),
    ),
  },
  createAppliancePhoto: {
    tag: "Appliances",
    description:
      "Takes a JPEG, PNG, WebP or HEIC picture of at most 10 MiB, told by its first bytes, in the field `file`.",
    request: type({ file: text, "service_event_id?": ids.serviceEvent }),
    requestMediaTypes: ["multipart/form-data"],
    example: { file: "(the picture's bytes)" },
    pathExample,
    replies: createdReply("The photo", type({ ...photoFields, id: ids.photo, partner: text })),
  },
  getUpload: {
    tag: "Appliances",
    description: "Asks for the same credentials as the API, and serves a partner its own pictures only.",
    replies: { 200: { description: "The picture", shape: null, mediaType: "image/*" } },
  },
};
