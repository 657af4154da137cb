import { Failure } from "./errors.ts";
import type { EventType } from "./service-event.ts";
import type { Day, Instant } from "./time.ts";

export type Photo = {
  id: string;
  partnerId: string;
  applianceId: string;
  /** Null for a photo of the appliance itself. */
  serviceEventId: string | null;
  /** The random file name under which it is stored and served. */
  filename: string;
  /** The name of the uploaded file. For display only, never used as a path. */
  originalName: string;
  mediaType: PhotoType;
  bytes: number;
  sha256: string;
  uploadedAt: Instant;
};

/** A photo with the type and day of its service event, and whether that was voided. */
export type ListedPhoto = Photo & {
  eventType: EventType | null;
  eventDate: Day | null;
  isEventVoided: boolean;
};

/** The most photos of an appliance, so that counting and listing them takes a bounded time. */
export const MOST_PHOTOS = 10_000;

export type PhotoType = "image/jpeg" | "image/png" | "image/webp" | "image/heic";

export const PHOTO_EXTENSIONS: Record<PhotoType, string> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "image/heic": "heic",
};

/** Returns the failure of an upload that exceeds the limit, in bytes. */
export const photoTooLargeFailure = (limit: number): Failure =>
  new Failure("payload_too_large", `The image is larger than ${limit} bytes`);
