import type { PartnerTask } from "../../administration/partner-task.ts";
import { conflict, notFound } from "../../domain/errors.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import type { Partner } from "../../domain/partner.ts";
import type { Instant } from "../../domain/time.ts";
import { yieldToEventLoop } from "../../event-loop.ts";
import type { Store } from "../../store/store.ts";
import { announceState } from "../../usecases/deliveries/announce-state.ts";
import type { Probed } from "../../usecases/deliveries/probe-endpoints.ts";
import { exportPartner } from "../../usecases/partners/export-partner.ts";
import type { Administration } from "../../usecases/partners/partners.ts";
import { partnerInPath } from "../../wire/parameters.ts";
import { announcedState, announcedStateRecord, probe, probeRecord } from "../../wire/partner.ts";
import { announceRequest, partnerTask, partnerTaskView, purgeRequest } from "../../wire/partner-task.ts";
import { jsonLines } from "../json-lines.ts";
import { accepted, accepts, adminOperation, answers, type Operation, ok, serverLabel } from "../operation.ts";
import { invalidParameter } from "../query.ts";

type TaskStart = "begun" | { heldBy: string | undefined };

/** What takes longer than an answer may. */
export type PartnerTasks = {
  state(partnerId: string): PartnerTask | undefined;
  /** Begins it in the name of `by`, this server in words; else says who does something to the partner. */
  announce(administration: Administration, partner: Partner, by: string): Promise<TaskStart>;
  purge(administration: Administration, partner: Partner, by: string): Promise<TaskStart>;
};

export type PartnerTaskDeps = {
  knowledge: Knowledge;
  clock: () => Instant;
  tasks: () => PartnerTasks;
  /** Where this server listens. */
  address: () => string;
  /** Sends the partner's receiver a delivery that is signed wrongly; undefined without a receiver. */
  probe: (administration: Administration, partner: Partner) => Promise<Probed | undefined>;
};

/** What is done to a partner's receiver, and to all that a partner owns. */
export function partnerTaskOperations({
  knowledge,
  clock,
  tasks,
  address,
  probe: run,
}: PartnerTaskDeps): Operation[] {
  const taskOf = (id: string) => partnerTaskView(id, address(), tasks().state(id));
  return [
    adminOperation({
      id: "probeWebhook",
      method: "POST",
      path: "/admin/partners/{id}/webhook-probe",
      summary:
        "Send the partner's receiver a delivery that is signed wrongly: one that takes it does not verify",
      tag: "Administration",
      parameters: [partnerInPath],
      replies: answers("What it did with it", probe),
      errors: [409],
      body: "optional",
      async handle({ administration, params, store }) {
        const probed = await run(administration, await getPartner(store, params.id!));
        if (!probed) throw noReceiver();
        return ok(probeRecord(probed));
      },
    }),
    adminOperation({
      id: "announceState",
      method: "POST",
      path: "/admin/partners/{id}/announce",
      summary:
        "Queue the present state, every CRITICAL and WARNING, to the partner's receiver; a dry run counts",
      tag: "Administration",
      parameters: [partnerInPath],
      request: { type: announceRequest.type, example: { dry_run: true } },
      replies: {
        ...answers("How many there are", announcedState),
        ...accepts("It is under way", partnerTask),
      },
      errors: [409],
      body: "optional",
      async handle({ administration, body, params, store }) {
        const { dry_run: isDryRun = false } = announceRequest.parse(body);
        const partner = await getPartner(store, params.id!);
        if (!(await store.read.partners.findReceiver(partner.id))?.url) throw noReceiver();
        if (isDryRun) {
          const state = await announceState(
            { administration, knowledge, yieldNow: yieldToEventLoop },
            partner,
            true,
          );
          return ok(announcedStateRecord(partner.id, state, true));
        }
        requireBegun(await tasks().announce(administration, partner, serverLabel(address())));
        return accepted(taskOf(partner.id));
      },
    }),
    adminOperation({
      id: "purgePartner",
      method: "POST",
      path: "/admin/partners/{id}/purge",
      summary: "Delete a partner and all that it owns, for good",
      description:
        "Its credentials end at once; then its records and photos are deleted in short steps. Interrupted, it is asked " +
        "for again and goes on. Backups that were taken before still hold it; an export is taken beforehand.",
      tag: "Administration",
      parameters: [partnerInPath],
      request: { type: purgeRequest.type, example: { confirm: "Acme Insurance" } },
      replies: accepts("It is under way", partnerTask),
      errors: [409],
      body: "json",
      async handle({ administration, body, params, store }) {
        const partner = await getPartner(store, params.id!);
        if (purgeRequest.parse(body).confirm !== partner.name)
          throw invalidParameter("confirm", "must be the partner's whole name. Nothing was deleted");
        requireBegun(await tasks().purge(administration, partner, serverLabel(address())));
        return accepted(taskOf(partner.id));
      },
    }),
    adminOperation({
      id: "getPartnerTask",
      method: "GET",
      path: "/admin/partners/{id}/task",
      summary:
        "What became of the latest announcement or purge that was asked for, also once the partner is gone",
      tag: "Administration",
      parameters: [partnerInPath],
      replies: answers("How it stands", partnerTask),
      async handle({ params, store }) {
        const id = params.id!;
        if (!tasks().state(id)) await getPartner(store, id);
        return ok(taskOf(id));
      },
    }),
    adminOperation({
      id: "exportPartner",
      method: "GET",
      path: "/admin/partners/{id}/export",
      summary:
        "Everything that the partner owns, a JSON object a line, the last of type `end` with the counts",
      tag: "Administration",
      parameters: [partnerInPath],
      async handle({ params, store }) {
        const partner = await getPartner(store, params.id!);
        const headers = {
          "content-type": "application/x-ndjson",
          "content-disposition": `attachment; filename="${partner.id}.ndjson"`,
          "cache-control": "no-store",
        };
        return { raw: jsonLines(exportPartner(store, knowledge, partner, clock)), headers };
      },
    }),
  ];
}

const noReceiver = () => conflict("The partner has no webhook receiver");
function requireBegun(begun: TaskStart): void {
  if (begun === "begun") return;
  const by = begun.heldBy === undefined ? "" : `, by ${begun.heldBy}`;
  throw conflict(`Something is being done to this partner already${by}; wait until it has ended`);
}

async function getPartner(store: Store, id: string): Promise<Partner> {
  const partner = await store.read.partners.find(id);
  if (!partner) throw notFound("Partner not found");
  return partner;
}
