import { pagingParameters, partnerInPath } from "../../api-schemas/api-parameter-schemas.ts";
import { anyApplianceTypePage, serializeApplianceType } from "../../api-schemas/appliance-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { notFound } from "../../domain/errors.ts";
import { propertyNotFound } from "../../domain/property.ts";
import type { Stores } from "../../store/stores.ts";
import type { LossBooks } from "../../usecases/losses/load-loss-books.ts";
import { refuseDeletedPartner } from "../../usecases/partners/create-partner-and-credentials.ts";
import {
  type AdminCall,
  type AdminOperation,
  adminOperation,
  type Operation,
  okReplies,
  okReply,
  type PartnerOperation,
} from "../http-operation.ts";
import { invalidHttpParameterFailure, parseRowRangeHttpQuery } from "../http-query-parameters.ts";
import { runWithoutIdempotencyKey } from "../idempotency-key.ts";
import { requirePartnerInPath } from "./admin-partners-routes.ts";
import { applianceOperations } from "./appliances-routes.ts";
import { claimOperations } from "./claims-routes.ts";
import { componentOperations } from "./components-routes.ts";
import { lossOperations } from "./losses-routes.ts";
import { planOperations } from "./plans-routes.ts";
import { propertyOperations } from "./properties-routes.ts";
import { serviceEventOperations } from "./service-events-routes.ts";

type RecordCall = Pick<AdminCall, "params" | "query">;
/** Returns the ID of the partner that a call names, or whose record it names. Throws not_found for an unknown record. */
type FindOwner = (read: Stores, call: RecordCall) => Promise<string>;

const ofPartner: FindOwner = async (_, { params }) => params.id!;
const ofProperty: FindOwner = async (read, { params }) => {
  const owner = await read.properties.ownerOf(params.id!);
  if (owner === undefined) throw propertyNotFound();
  return owner;
};
const ofAppliance: FindOwner = async (read, { params }) => {
  const [appliance] = await read.appliances.list([params.id!]);
  if (!appliance) throw notFound("Appliance not found");
  return appliance.partnerId;
};
const ofComponent: FindOwner = async (read, { params }) => {
  const owner = await read.components.ownerOf(params.id!);
  if (owner === undefined) throw notFound("Component not found");
  return owner;
};
const ofServiceEvent: FindOwner = async (read, { params }) => {
  const owner = await read.serviceEvents.ownerOf(params.id!);
  if (owner === undefined) throw notFound("Service event not found");
  return owner;
};
const ofListedProperty: FindOwner = async (read, { query }) => {
  const id = query.get("property_id");
  if (id === undefined) throw invalidHttpParameterFailure("property_id", "is required");
  return await ofProperty(read, { params: { id }, query });
};

/** The operations of partners that administrators have, too, below `/admin` instead of `/v1`. */
const SHARED: Readonly<Record<string, FindOwner>> = {
  getProperty: ofProperty,
  updateProperty: ofProperty,
  mergeProperties: ofProperty,
  getPropertyPlan: ofProperty,
  getPropertyLosses: ofProperty,
  listUnits: ofProperty,
  listClaims: ofProperty,
  getClaim: ofProperty,
  updateClaim: ofProperty,
  listAppliances: ofListedProperty,
  getAppliance: ofAppliance,
  updateAppliance: ofAppliance,
  getComponent: ofComponent,
  updateComponent: ofComponent,
  getComponentHistory: ofComponent,
  getServiceEvent: ofServiceEvent,
  updateServiceEvent: ofServiceEvent,
};

/** Returns the operations with which administrators see and correct the records of any partner. */
export function adminRecordOperations(knowledge: Knowledge, books: LossBooks): Operation[] {
  const operations = [
    ...propertyOperations(knowledge),
    ...applianceOperations(knowledge, 0),
    ...componentOperations(knowledge),
    ...claimOperations(knowledge, 0),
    ...serviceEventOperations(knowledge, 0),
    ...planOperations(knowledge),
    ...lossOperations(knowledge, books),
  ];
  const byId = (id: string) => operations.find((one) => one.id === id) as PartnerOperation;
  const portfolioPlan = byId("getPortfolioPlan");
  const types = [...knowledge.types.values()].map((type) => serializeApplianceType(knowledge, type));
  return [
    adminOperation({
      id: "listApplianceTypesOfAny",
      method: "GET",
      path: "/admin/appliance-types",
      summary: "List appliance types and their components",
      tag: "Administration",
      parameters: pagingParameters,
      replies: okReplies("A page of appliance types", anyApplianceTypePage),
      handle({ query }) {
        const slice = parseRowRangeHttpQuery(query);
        const page = types.slice(slice.offset, slice.offset + slice.limit);
        return okReply(anyApplianceTypePage.of(page, slice, types.length));
      },
    }),
    ...Object.entries(SHARED).map(([id, findOwner]) => ofAnyPartner(byId(id), findOwner)),
    ofAnyPartner(
      {
        ...portfolioPlan,
        path: "/v1/partners/{id}/plan",
        parameters: [partnerInPath, ...portfolioPlan.parameters!],
      },
      ofPartner,
    ),
  ];
}

/** Returns a partner's operation for the records of any partner, whose ID it adds. The audit log names the administrator. */
function ofAnyPartner(operation: PartnerOperation, findOwner: FindOwner): AdminOperation {
  return {
    ...operation,
    id: `${operation.id}OfAny`,
    path: operation.path.replace("/v1/", "/admin/"),
    tag: "Administration",
    access: "admin",
    async handle(call) {
      const partner = await requirePartnerInPath(call.store, await findOwner(call.store.read, call));
      const reply = await operation.handle({
        ...call,
        partner,
        sumsOf: (_name, _revision, find) => find(),
        runOnce: runWithoutIdempotencyKey,
        writePortfolio: (run) =>
          call.writePortfolio(partner, async (writer) => {
            await refuseDeletedPartner(writer.tx, partner.id);
            return await run(writer);
          }),
      });
      return reply.body ? { ...reply, body: { ...reply.body, partner_id: partner.id } } : reply;
    },
  };
}
