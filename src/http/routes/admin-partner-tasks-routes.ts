import { partnerInPath } from "../../api-schemas/api-parameter-schemas.ts";
import {
  announcedState,
  probe,
  serializeAnnouncedState,
  serializeEndpointProbe,
} from "../../api-schemas/partner-schema.ts";
import {
  announceRequest,
  partnerTask,
  purgeRequest,
  serializePartnerTask,
} from "../../api-schemas/partner-task-schema.ts";
import { clusterLockHolder, clusterPartnerLockName } from "../../cluster/cluster-locks.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { conflict, notFound } from "../../domain/errors.ts";
import type { Partner } from "../../domain/partner.ts";
import type { PartnerTask } from "../../domain/partner-task.ts";
import type { Instant } from "../../domain/time.ts";
import { yieldToEventLoop } from "../../event-loop/event-loop.ts";
import type { Store } from "../../store/store.ts";
import { announceCurrentTiers } from "../../usecases/announcements/announce-current-tiers.ts";
import type { SignatureCheck } from "../../usecases/deliveries/probe-partner-signature-verification.ts";
import type { AdminUseCaseDeps } from "../../usecases/partners/create-partner-and-credentials.ts";
import { exportPartner } from "../../usecases/partners/export-partner.ts";
import {
  acceptedReplies,
  acceptedReply,
  adminOperation,
  httpServerDisplayName,
  type Operation,
  okReplies,
  okReply,
} from "../http-operation.ts";
import { invalidHttpParameterFailure } from "../http-query-parameters.ts";
import { jsonLinesReply } from "../json-lines-reply.ts";

type TaskStart = "begun" | { heldBy: string | undefined };

/** Runs the tasks on a partner that outlast a request. */
type PartnerTasks = {
  /** Returns the partner's latest task on this server. */
  state(partnerId: string): PartnerTask | undefined;
  /** Starts the task, or returns who is running one on this partner. `by` describes this server. */
  announce(administration: AdminUseCaseDeps, partner: Partner, by: string): Promise<TaskStart>;
  purge(administration: AdminUseCaseDeps, partner: Partner, by: string): Promise<TaskStart>;
};

export type PartnerTaskDeps = {
  knowledge: Knowledge;
  clock: () => Instant;
  tasks: () => PartnerTasks;
  /** Returns the address on which this server listens. */
  address: () => string;
  /** Sends the partner's endpoint a delivery with an invalid signature. Resolves to undefined without an endpoint. */
  probe: (administration: AdminUseCaseDeps, partner: Partner) => Promise<SignatureCheck | undefined>;
};

/** The operations that check a partner's endpoint, and that send, export or delete a partner's data. */
export function partnerTaskOperations({
  knowledge,
  clock,
  tasks,
  address,
  probe: run,
}: PartnerTaskDeps): Operation[] {
  const taskOf = async ({ read }: Pick<Store, "read">, id: string) => {
    const heldBy = await clusterLockHolder({ read }, clusterPartnerLockName(id));
    return serializePartnerTask(id, address(), heldBy, tasks().state(id));
  };
  return [
    adminOperation({
      id: "probeWebhook",
      method: "POST",
      path: "/admin/partners/{id}/webhook-probe",
      summary: "Check that a partner's endpoint verifies signatures",
      description:
        "Sends a webhook.test event with an invalid signature. An endpoint that accepts it does not verify signatures.",
      tag: "Administration",
      parameters: [partnerInPath],
      replies: okReplies("The result of the check", probe),
      errors: [409],
      body: "optional",
      async handle({ administration, params, store }) {
        const probed = await run(administration, await getPartner(store, params.id!));
        if (!probed) throw noEndpoint();
        return okReply(serializeEndpointProbe(probed));
      },
    }),
    adminOperation({
      id: "announceState",
      method: "POST",
      path: "/admin/partners/{id}/announce",
      summary: "Send all current alerts to a partner's endpoint",
      description: "Queues an event for every CRITICAL and WARNING component. Repeating it sends duplicates.",
      tag: "Administration",
      parameters: [partnerInPath],
      request: { type: announceRequest.type, example: { dry_run: true } },
      replies: {
        ...okReplies("The count, for a dry run", announcedState),
        ...acceptedReplies("The task is in progress", partnerTask),
      },
      errors: [409],
      body: "optional",
      async handle({ administration, body, params, store }) {
        const { dry_run: isDryRun = false } = announceRequest.parse(body);
        const partner = await getPartner(store, params.id!);
        if (!(await store.read.partners.findEndpoint(partner.id))?.url) throw noEndpoint();
        if (isDryRun) {
          const state = await announceCurrentTiers(
            { administration, knowledge, yieldNow: yieldToEventLoop },
            partner,
            true,
          );
          return okReply(serializeAnnouncedState(partner.id, state, true));
        }
        requireStarted(await tasks().announce(administration, partner, httpServerDisplayName(address())));
        return acceptedReply(await taskOf(store, partner.id));
      },
    }),
    adminOperation({
      id: "purgePartner",
      method: "POST",
      path: "/admin/partners/{id}/purge",
      summary: "Permanently delete a partner",
      description:
        "Revokes the partner's credentials, then deletes its records and photos. If the deletion is interrupted, repeat " +
        "the request to resume it. Existing backups still contain the data. Export the data first if you need a copy.",
      tag: "Administration",
      parameters: [partnerInPath],
      request: { type: purgeRequest.type, example: { confirm: "Acme Insurance" } },
      replies: acceptedReplies("The task is in progress", partnerTask),
      errors: [409],
      body: "json",
      async handle({ administration, body, params, store }) {
        const partner = await getPartner(store, params.id!);
        if (purgeRequest.parse(body).confirm !== partner.name)
          throw invalidHttpParameterFailure(
            "confirm",
            "must be the partner's full name. Nothing was deleted",
          );
        requireStarted(await tasks().purge(administration, partner, httpServerDisplayName(address())));
        return acceptedReply(await taskOf(store, partner.id));
      },
    }),
    adminOperation({
      id: "getPartnerTask",
      method: "GET",
      path: "/admin/partners/{id}/task",
      summary: "Get a partner's latest task",
      description:
        "Also responds after the partner was deleted. `task` is that of the server that responds; `held_by` names the server or command that runs one anywhere on the database.",
      tag: "Administration",
      parameters: [partnerInPath],
      replies: okReplies("The task", partnerTask),
      async handle({ params, store }) {
        const id = params.id!;
        if (!tasks().state(id)) await getPartner(store, id);
        return okReply(await taskOf(store, id));
      },
    }),
    adminOperation({
      id: "exportPartner",
      method: "GET",
      path: "/admin/partners/{id}/export",
      summary: "Export a partner's data",
      description:
        "Returns NDJSON, one object per line. The last object has type `end` and the counts. Photos are not included.",
      tag: "Administration",
      parameters: [partnerInPath],
      async handle({ params, store }) {
        const partner = await getPartner(store, params.id!);
        const headers = {
          "content-type": "application/x-ndjson",
          "content-disposition": `attachment; filename="${partner.id}.ndjson"`,
          "cache-control": "no-store",
        };
        return { raw: jsonLinesReply(exportPartner(store, knowledge, partner, clock)), headers };
      },
    }),
  ];
}

const noEndpoint = () => conflict("The partner has no webhook endpoint");

function requireStarted(start: TaskStart): void {
  if (start === "begun") return;
  const by = start.heldBy === undefined ? "" : `, started by ${start.heldBy}`;
  throw conflict(`Another task is already running for this partner${by}; wait until it has finished`);
}

async function getPartner(store: Store, id: string): Promise<Partner> {
  const partner = await store.read.partners.find(id);
  if (!partner) throw notFound("Partner not found");
  return partner;
}
