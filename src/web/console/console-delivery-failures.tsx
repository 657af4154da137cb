import type { FailureGroupJson, FailureGroupsJson } from "../../api-schemas/delivery-schema.ts";
import { MAX_GROUP_COUNT } from "../../domain/delivery.ts";
import { hrefTo } from "../browser/browser-route.ts";
import type { LoadState } from "../browser/use-load.ts";
import { formatPageCount, formatPageWholeNumber } from "../page/page-format.ts";
import { sumPageItems } from "../page/page-grouping.ts";
import { ReportSection, SectionTable } from "../sections/section.tsx";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { InstantWithLocalTime } from "../widgets/local-date-time.tsx";
import { showToast } from "../widgets/toasts.tsx";
import { useAdminAction, useConsole } from "./console-context.ts";

type Range = { partner_id: string; from: string; to: string; error?: string };

/** Failed deliveries by endpoint and error, each group with a button that resends it. */
export function ConsoleDeliveryFailures(props: {
  loaded: LoadState<FailureGroupsJson>;
  /** The start of the period, if it has one. */
  since: string | undefined;
  onResent: () => void;
}) {
  const { loaded, since, onResent } = props;
  const { value, isLoading, reload } = loaded;
  // The list of deliveries below is refreshed with this one, and reports that it could not be.
  const shown = value === undefined ? loaded : { value, isLoading, reload };
  return (
    <LoadedContent loaded={shown} what="the failures">
      {({ groups }) =>
        groups.length === 0 ? null : (
          <ReportSection
            id="failures"
            title="Failed deliveries"
            about="By endpoint and error: all events of the selected period. Resending keeps the order, the IDs and the payloads."
          >
            {failedWithSeveralErrors(groups).map((failures) => (
              <p key={failures.partner_id} class="choices">
                <Resend failures={failures} since={since} onResent={onResent} />
              </p>
            ))}
            <SectionTable
              caption="Failed deliveries by endpoint and error"
              rows={groups}
              columns={[
                { heading: "Endpoint", cell: Endpoint },
                { heading: "Last error", cell: ({ error }) => error || "Unknown" },
                { heading: "Failed", isNumber: true, cell: ({ failed }) => upTo(failed) },
                { heading: "Newest", cell: ({ last_at }) => <InstantWithLocalTime at={last_at} /> },
                {
                  heading: "Action",
                  isNumber: true,
                  cell: (group) => <Resend failures={failedIn(group)} since={since} onResent={onResent} />,
                },
              ]}
            />
          </ReportSection>
        )
      }
    </LoadedContent>
  );
}

const upTo = (failed: number, isCounted = failed < MAX_GROUP_COUNT) =>
  `${formatPageWholeNumber(failed)}${isCounted ? "" : "+"}`;

function Endpoint({ partner_id, partner_name, url }: FailureGroupJson) {
  return (
    <>
      <a class="name" href={hrefTo(["partners", partner_id])}>
        <bdi>{partner_name}</bdi>
      </a>
      <span class="under small muted">{url ?? "No webhook URL"}</span>
    </>
  );
}

/** Failed deliveries to a partner: a group, or all of its groups, which have no error in common. */
type Failed = Pick<FailureGroupJson, "partner_id" | "partner_name" | "failed" | "first_at" | "last_at"> & {
  error: string | undefined;
  /** False if there may be older ones than the first. */
  isCounted: boolean;
};

const failedIn = (group: FailureGroupJson): Failed => ({
  ...group,
  isCounted: group.failed < MAX_GROUP_COUNT,
});

/** Returns the partners whose deliveries failed with several errors, each with all of them. */
function failedWithSeveralErrors(groups: readonly FailureGroupJson[]): Failed[] {
  const byPartner = Map.groupBy(groups, ({ partner_id }) => partner_id);
  return [...byPartner.values()]
    .filter((own) => own.length > 1)
    .map((own) => ({
      ...own[0]!,
      error: undefined,
      failed: sumPageItems(own, ({ failed }) => failed),
      isCounted: own.every((group) => failedIn(group).isCounted),
      first_at: own.map(({ first_at }) => first_at).sort()[0]!,
      last_at: own
        .map(({ last_at }) => last_at)
        .sort()
        .at(-1)!,
    }));
}

function Resend(props: { failures: Failed; since: string | undefined; onResent: () => void }) {
  const { failures, since, onResent } = props;
  const { partner_id, partner_name, error, failed, isCounted, first_at, last_at } = failures;
  const { api } = useConsole();
  const { run } = useAdminAction();
  const range: Range = {
    partner_id,
    ...(error !== undefined && { error }),
    from: isCounted ? first_at : (since ?? new Date(0).toISOString()),
    to: new Date(Date.parse(last_at) + 1).toISOString(),
  };
  const number = upTo(failed, isCounted);
  const resend = async () => {
    const path = "/admin/webhook-deliveries/resend";
    const sent = await run(() => api.write<{ resent: number }>("POST", path, range));
    if (!sent) return;
    showToast(`${formatPageCount(sent.resent, "delivery", "deliveries")} queued.`);
    onResent();
  };
  return (
    <ConfirmDialog
      name={error === undefined ? `Resend all ${number} to ${partner_name}` : "Resend"}
      confirmName={`Resend ${number}`}
      title={`Resend ${failed === 1 ? "1 delivery" : `${number} deliveries`} to ${partner_name}?`}
      isSmall={error !== undefined}
      onConfirm={resend}
    >
      <p>
        {error === undefined
          ? "With any error"
          : error === ""
            ? "With an unknown error"
            : `With the error “${error}”`}
        , created from <InstantWithLocalTime at={range.from} /> to <InstantWithLocalTime at={last_at} />. Each
        gets three new attempts.
      </p>
    </ConfirmDialog>
  );
}
