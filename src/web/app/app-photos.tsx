import { useEffect, useState } from "preact/hooks";
import type { ApplianceJson } from "../../api-schemas/appliance-schema.ts";
import type { PhotoJson, PhotosJson } from "../../api-schemas/photo-schema.ts";
import { ApiFailure } from "../browser/browser-api-failure.ts";
import { formatPageDate } from "../page/page-format.ts";
import { messageOfFailedEdit } from "../records/edit-record.tsx";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { LoadMore } from "../widgets/load-more.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { appLabelWithDetails, useAppCallCost } from "./app-call-cost.ts";
import { useApp } from "./app-context.ts";
import { useAppPagedList } from "./app-paged-list.ts";

/** The photos shown at a time: each is a file and a call, and an appliance may have hundreds. */
const SHOWN_AT_ONCE = 12;

/** The photos of an appliance, loaded on demand: each takes a call. Those of a retired one cannot be removed. */
export function AppAppliancePhotos({ appliance }: { appliance: Pick<ApplianceJson, "id" | "is_retired"> }) {
  const { api } = useApp();
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const costOf = useAppCallCost();
  const path = `/v1/appliances/${encodeURIComponent(appliance.id)}/photos`;
  const photos = useAppPagedList(api, path, (page: PhotosJson) => [
    ...page.appliance_photos,
    ...page.service_event_photos,
  ]);
  return (
    <section class="card" aria-labelledby="photos">
      <h2 id="photos">Photos</h2>
      <LoadedContent loaded={photos} what="the photos">
        {({ rows, total }) => {
          if (total === 0) return <p class="empty">No photos.</p>;
          const hidden = rows.filter(({ id }) => !shown.has(id));
          const next = hidden.slice(0, SHOWN_AT_ONCE);
          return (
            <>
              <ul class="photos">
                {rows.map((photo) => (
                  <li key={photo.id}>
                    {shown.has(photo.id) ? <Picture photo={photo} /> : <PhotoCaption photo={photo} />}
                    {!appliance.is_retired && (
                      <ConfirmDialog
                        name="Remove"
                        title={`Remove ${photo.original_name}`}
                        isDestructive
                        isSmall
                        onConfirm={() =>
                          messageOfFailedEdit(async () => {
                            await api.write("DELETE", `${path}/${encodeURIComponent(photo.id)}`);
                            photos.reload();
                          })
                        }
                      >
                        <p>The photo is deleted. Its service event stays. This cannot be undone.</p>
                      </ConfirmDialog>
                    )}
                  </li>
                ))}
              </ul>
              {next.length > 0 && (
                <p>
                  <button
                    type="button"
                    class="outline"
                    onClick={() => setShown(new Set([...shown, ...next.map(({ id }) => id)]))}
                  >
                    {appLabelWithDetails(showText(next.length, hidden.length), costOf(next.length))}
                  </button>
                </p>
              )}
              <LoadMore
                loaded={rows.length}
                total={total}
                isLoading={photos.isLoading}
                onMore={photos.loadMore}
              />
            </>
          );
        }}
      </LoadedContent>
    </section>
  );
}

function showText(next: number, hidden: number): string {
  if (next < hidden) return `Show ${next} photos`;
  return next === 1 ? "Show photo" : "Show photos";
}

function Picture({ photo }: { photo: PhotoJson }) {
  const { api } = useApp();
  const [source, setSource] = useState<string>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    let url: string | undefined;
    let isMounted = true;
    api.readFile(`/uploads/${encodeURIComponent(photo.filename)}`).then(
      (picture) => {
        if (!isMounted) return;
        url = URL.createObjectURL(picture);
        setSource(url);
      },
      (thrown: unknown) =>
        isMounted &&
        setFailure(thrown instanceof ApiFailure ? thrown.message : "The photo could not be loaded."),
    );
    return () => {
      isMounted = false;
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [api, photo.filename]);
  return (
    <figure>
      {source ? (
        <a href={source} target="_blank" rel="noreferrer">
          <img src={source} alt={photo.original_name} />
        </a>
      ) : (
        <span class="photo-placeholder small muted">{failure ?? "Loading…"}</span>
      )}
      <figcaption>
        <PhotoCaption photo={photo} />
      </figcaption>
    </figure>
  );
}

function PhotoCaption({ photo }: { photo: PhotoJson }) {
  const { original_name, uploaded_at, event_type, event_date, event_voided } = photo;
  return (
    <span>
      <bdi class="shortened">{original_name}</bdi>
      <span class="small muted">
        {event_type === null
          ? formatPageDate(uploaded_at)
          : `${event_type}${event_date === null ? "" : `, ${formatPageDate(event_date)}`}`}
        {event_voided && " (voided)"}
      </span>
    </span>
  );
}
