import {
  budgetInQuery,
  fileInPath,
  pageNumber,
  planTerms,
  tokenInPath,
  trendComponent,
  trendRange,
} from "../../api-schemas/api-parameter-schemas.ts";
import type { ComponentJson } from "../../api-schemas/component-schema.ts";
import { serializeScoreReason } from "../../api-schemas/score-reason-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { EmbedView } from "../../domain/embed.ts";
import { USUAL_FORM_TERMS } from "../../domain/planning/plan-terms.ts";
import { embedStatusByRule } from "../../domain/rules/embed-rule.ts";
import { isRetired } from "../../domain/rules/retirement-rule.ts";
import { dayOf } from "../../domain/time.ts";
import { runYielding } from "../../event-loop/event-loop.ts";
import { hashSecret } from "../../secrets/secret-hash.ts";
import type { Store } from "../../store/store.ts";
import { loadEmbedBrand } from "../../usecases/embeds/change-embed-brand.ts";
import { loadScoreReasons } from "../../usecases/explanation/load-score-reasons.ts";
import { loadPropertyPlan } from "../../usecases/planning/load-property-plan.ts";
import { loadPropertyFigures } from "../../usecases/portfolio/load-property-figures.ts";
import { reserveWorkbook } from "../../usecases/reserve-form/property-reserve-workbook.ts";
import type { RevisionCaches } from "../../usecases/revision-caches/revision-caches.ts";
import { browserAssetTable } from "../../web/assets/browser-asset-table.ts";
import type { PasscodeProblem } from "../../web/embed/embed-passcode-page.tsx";
import { ALL_TIME } from "../../web/page/page-time-range.ts";
import {
  type DataLinks,
  pageSectionTrendComponentId,
  type ReportCsvFile,
  sectionComponentsToExplain,
} from "../../web/sections/property-sections.tsx";
import { compressResponseBody, encodingHeaders, responseEncodingFor } from "../content-encoding.ts";
import { csvReplyChunks } from "../csv-replies.ts";
import type { EmbedPasscodeGate } from "../http-embed-passcode-gate.ts";
import { httpHtmlPageReply, PRIVATE_HEADERS } from "../http-html-page-reply.ts";
import {
  type Call,
  type Operation,
  type PublicCall,
  publicOperation,
  type Reply,
  replyLength,
} from "../http-operation.ts";
import { parsePlanTermsHttpQueryOrDefaults } from "../http-query-parameters.ts";
import { replyCacheKey } from "../reply-cache-key.ts";
import { longReadLimiter, RequestConcurrencyLimiter } from "../request-concurrency-limiter.ts";
import { workbookReply } from "../workbook-replies.ts";

type EmbedDeps = {
  store: Pick<Store, "read" | "inReadSnapshot">;
  knowledge: Knowledge;
  /** The sites that may show the pages in a frame, as Content-Security-Policy sources. */
  frameAncestors: readonly string[];
  gate: Pick<EmbedPasscodeGate, "isOpenTo" | "attempt">;
  caches: RevisionCaches;
  /** Called for every view of a page. */
  onView: (embedId: string, view: EmbedView) => void;
};

const CSV_FILES: readonly ReportCsvFile[] = [
  "condition",
  "components",
  "plan",
  "schedule",
  "reserve",
  "forecast",
  "inspections",
  "condition-trend",
  "trend",
];

const WORKBOOK = "plan.xlsx";

/** The requests of one embed that are handled at a time, since anyone with its link can send any number. */
const MAX_RUNNING = 2;
/** The requests of one embed that wait; as many as the page has files, so that a browser can load all of them at once. */
const MAX_WAITING = 8;

/** Larger pages and files are not kept. */
const MAX_KEPT_BYTES = 8_388_608;

/** The most bytes of the form with a passcode. */
const MAX_FORM_BYTES = 1024;

/** The file of the partner's logo. */
const LOGO_FILE = "logo.png";
/** How long browsers keep a logo, in seconds. A new one has another address. */
const LOGO_LIFETIME_S = 86_400;

/** The most 64 KB chunks of a file that is compressed before it is sent. */
const MAX_COMPRESSED_CHUNKS = 8;

/** The read-only page of one property. Its token is the only credential. */
export function embedOperations(deps: EmbedDeps): Operation[] {
  const { store, knowledge, gate, onView } = deps;
  const { read } = store;

  /** Returns the embed and its property; undefined when the token is unknown, expired or revoked. */
  const findEmbed = async ({ params, now }: Call) => {
    const embed = await read.embeds.findByToken(hashSecret(params.token!));
    if (!embed || embedStatusByRule(embed, now) !== "active") return undefined;
    const property = await read.properties.find(embed.partnerId, embed.propertyId);
    // The page of a retired property is unavailable until it is brought back.
    return property && !isRetired(property) ? { embed, property } : undefined;
  };
  type FoundEmbed = NonNullable<Awaited<ReturnType<typeof findEmbed>>>;
  const figuresDeps = ({ now, yieldNow, reserveMemoryFor }: PublicCall, { embed }: FoundEmbed) => {
    return { store, knowledge, now, yieldNow, reserveMemory: reserveMemoryFor(embed.id) };
  };
  const figuresOf = (call: PublicCall, found: FoundEmbed) =>
    loadPropertyFigures(figuresDeps(call, found), found.property, {
      chosen: call.query.get("component"),
      terms: parsePlanTermsHttpQueryOrDefaults(call.query),
      defaultTrend: pageSectionTrendComponentId,
    });
  /** Returns the reasons for the scores that the page shows. */
  const reasonsOn = async (call: PublicCall, { property }: FoundEmbed, all: readonly ComponentJson[]) => {
    const ids = await runYielding(sectionComponentsToExplain(all), call.yieldNow);
    const rows = await Promise.all(ids.map((id) => read.components.find(property.partnerId, id)));
    const found = rows.filter((row) => row !== undefined);
    const reasons = await loadScoreReasons(read, knowledge, property, found, call.yieldNow);
    return new Map([...reasons].map(([id, some]) => [id, some.map(serializeScoreReason)]));
  };
  // Loaded with the first page: a start does not wait for the renderer.
  const pages = () => import("../../web/embed/embed-pages.tsx");
  const notFoundPage = async (call: Call, up: string) =>
    httpHtmlPageReply(deps, call, (await pages()).renderEmbedNotFoundPage(await styleAt(up)), 404);
  /** Returns the brand of the embed's partner for a page; `base` leads from the page to the embed's files. */
  const brandFor = async ({ embed }: FoundEmbed, base: string) => {
    const { embedPageBrand } = await import("../../web/embed/embed-brand.tsx");
    return embedPageBrand(await loadEmbedBrand(read, embed.partnerId), `${base}${LOGO_FILE}`);
  };
  const passcodePage = async (
    call: Call,
    found: FoundEmbed,
    up: string,
    problem?: PasscodeProblem,
  ): Promise<Reply<never>> => {
    const { token } = call.params;
    const isTop = up === "../../";
    // Below the page, the address of the form is that of the page.
    const action = isTop ? `${token}` : `../${token}`;
    const brand = await brandFor(found, isTop ? `${token}/` : "");
    const { renderEmbedPasscodePage } = await import("../../web/embed/embed-passcode-page.tsx");
    const page = renderEmbedPasscodePage({ style: await styleAt(up), action, problem, brand });
    if (typeof problem !== "object") return httpHtmlPageReply(deps, call, page, 403);
    const { headers, ...reply } = httpHtmlPageReply(deps, call, page, 429);
    return { ...reply, headers: { ...headers, "retry-after": String(problem.waitS) } };
  };
  /** The logo shows nothing of the property, so that the form of a passcode has it, too. */
  const logoReply = async (call: PublicCall): Promise<Reply<never>> => {
    const found = await findEmbed(call);
    const logo = found && (await loadEmbedBrand(read, found.embed.partnerId)).logo;
    if (!logo) return await notFoundPage(call, "../../../");
    return {
      raw: new Uint8Array(logo.png),
      headers: {
        ...PRIVATE_HEADERS,
        "cache-control": `private, max-age=${LOGO_LIFETIME_S}`,
        "content-type": "image/png",
        "content-security-policy": "default-src 'none'; sandbox",
      },
    };
  };
  const limiter = new RequestConcurrencyLimiter(MAX_RUNNING, MAX_WAITING);
  // A partner may have any number of embeds.
  const longReads = longReadLimiter();
  const cache = deps.caches.open<Reply<never>>("pages", {
    // Text that is not Latin-1 takes two bytes a character.
    bytesOf: (reply) => (reply.raw instanceof Uint8Array ? 1 : 2) * replyLength(reply),
    mostBytes: MAX_KEPT_BYTES,
  });
  /**
   * Returns the reply that `make` makes for a page or file of this name, a few at a time for each embed and partner, or the
   * same one until the partner's data or the day changes; a page with status 404 if there is no embed. `up` leads to the root.
   */
  const replyFor = async (
    call: PublicCall,
    { name, up }: { name: string; up: string },
    make: (found: FoundEmbed) => Promise<Reply<never>>,
    onReply: (embedId: string, view: EmbedView) => void = () => {},
  ): Promise<Reply<never>> => {
    const found = await findEmbed(call);
    if (!found) return await notFoundPage(call, up);
    if (!gate.isOpenTo(call.request, found.embed, call.now)) return await passcodePage(call, found, up);
    const encoding = responseEncodingFor(call.request.headers.get("accept-encoding"));
    const { id, partnerId } = found.embed;
    const revision = (await read.partners.revision(partnerId)) ?? "";
    const shown = { partners: [{ id: partnerId, revision }], day: dayOf(call.now) };
    const key = replyCacheKey(id, name, encoding, call.query);
    // A cached reply takes memory, too, until the client has read it.
    call.reserveMemoryFor(id);
    const makeUnlessCached = async () => cache.get(key, shown) ?? (await make(found));
    const makeInOrder = () => longReads.run(partnerId, call.signal, makeUnlessCached);
    const reply = cache.get(key, shown) ?? (await limiter.run(id, call.signal, makeInOrder));
    // A stream is read once.
    if (replyLength(reply) > 0) cache.set(key, shown, reply);
    onReply(id, { viewedAt: call.now, address: call.address });
    return reply;
  };

  return [
    publicOperation({
      id: "getPropertyPage",
      method: "GET",
      path: "/embed/property/{token}",
      summary: "The page of one property, for an iframe",
      parameters: [tokenInPath, trendComponent, trendRange, budgetInQuery],
      handle: (call) => {
        const make = async (found: FoundEmbed) => {
          const { renderEmbedPropertyPage } = await pages();
          const { fileOf } = await browserAssetTable();
          const figures = await figuresOf(call, found);
          const reasons = await reasonsOn(call, found, figures.components);
          const steps = renderEmbedPropertyPage(
            { ...figures, reasons, formRange: call.query.get("range") ?? ALL_TIME },
            {
              style: await styleAt("../../"),
              script: `../../assets/${fileOf("embed.js")}`,
              links: linksOf(call.params.token!),
              brand: await brandFor(found, `${call.params.token}/`),
            },
          );
          const rendered = await runYielding(steps, call.yieldNow);
          return httpHtmlPageReply(deps, call, rendered);
        };
        return replyFor(call, { name: "page", up: "../../" }, make, onView);
      },
    }),
    publicOperation({
      id: "openPropertyPage",
      method: "POST",
      path: "/embed/property/{token}",
      summary: "Open the page of a property with its passcode",
      parameters: [tokenInPath],
      body: "raw",
      async handle(call) {
        const found = await findEmbed(call);
        if (!found) return await notFoundPage(call, "../../");
        const { id, passcodeHash } = found.embed;
        const form = new URLSearchParams(new TextDecoder().decode(await call.readBody(MAX_FORM_BYTES)));
        const toPage = { ...PRIVATE_HEADERS, location: call.params.token! };
        if (passcodeHash === null) return { status: 303, raw: null, headers: toPage };
        const attempt = await limiter.run(id, call.signal, () =>
          gate.attempt(call, { id, passcodeHash }, form.get("passcode") ?? ""),
        );
        if (attempt === "wrong") return await passcodePage(call, found, "../../", "wrong");
        if ("waitMs" in attempt)
          return await passcodePage(call, found, "../../", {
            waitS: Math.max(1, Math.ceil(attempt.waitMs / 1000)),
          });
        return { status: 303, raw: null, headers: { ...toPage, "set-cookie": attempt.cookie } };
      },
    }),
    publicOperation({
      id: "getPropertyPageComponents",
      method: "GET",
      path: "/embed/property/{token}/components",
      summary: "All components of the property, in pages",
      parameters: [tokenInPath, pageNumber],
      handle: (call) =>
        replyFor(call, { name: "components", up: "../../../" }, async (found) => {
          const { renderEmbedComponentList } = await pages();
          const number = /^[1-9]\d{0,6}$/.test(call.query.get("page") ?? "")
            ? Number(call.query.get("page"))
            : 1;
          const steps = renderEmbedComponentList(await figuresOf(call, found), number, {
            style: await styleAt("../../../"),
            back: `../${call.params.token}`,
            brand: await brandFor(found, ""),
          });
          const rendered = await runYielding(steps, call.yieldNow);
          return httpHtmlPageReply(deps, call, rendered);
        }),
    }),
    publicOperation({
      id: "getPropertyPageSchedule",
      method: "GET",
      path: "/embed/property/{token}/schedule",
      summary: "The printable replacement reserve schedule of the property",
      parameters: [tokenInPath, ...planTerms],
      handle: (call) =>
        replyFor(call, { name: "schedule", up: "../../../" }, async (found) => {
          const { renderEmbedSchedulePage } = await import("../../web/embed/embed-schedule-page.tsx");
          const { fileOf } = await browserAssetTable();
          const figures = await figuresOf(call, found);
          const { years, inflation_pct } = figures.plan;
          const steps = renderEmbedSchedulePage(figures, {
            style: await styleAt("../../../"),
            script: `../../../assets/${fileOf("embed.js")}`,
            back: `../${call.params.token}`,
            csv: `plan.csv?years=${years}&inflation_pct=${inflation_pct}`,
            brand: await brandFor(found, ""),
            workbook: `${WORKBOOK}?years=${years}&inflation_pct=${inflation_pct}`,
          });
          const rendered = await runYielding(steps, call.yieldNow);
          return httpHtmlPageReply(deps, call, rendered);
        }),
    }),
    publicOperation({
      id: "getPropertyPageFile",
      method: "GET",
      path: "/embed/property/{token}/{file}",
      summary:
        "The data of one chart of the page as CSV, the reserve schedule as a workbook, or the partner's logo",
      parameters: [tokenInPath, fileInPath, trendComponent, ...planTerms],
      async handle(call) {
        if (call.params.file === LOGO_FILE) return await logoReply(call);
        if (call.params.file === WORKBOOK)
          return await replyFor(call, { name: WORKBOOK, up: "../../../" }, async ({ embed, property }) => {
            const terms = parsePlanTermsHttpQueryOrDefaults(call.query);
            const planDeps = { store, knowledge, clock: () => call.now, yieldNow: call.yieldNow };
            const plan = await loadPropertyPlan(planDeps, property, terms, call.reserveMemoryFor(embed.id));
            const bytes = await reserveWorkbook(knowledge, plan, USUAL_FORM_TERMS, call.yieldNow);
            const { headers, ...reply } = workbookReply(bytes, `reserve-schedule-${property.id}.xlsx`);
            return { ...reply, headers: { ...headers, ...PRIVATE_HEADERS } };
          });
        const file = CSV_FILES.find((name) => `${name}.csv` === call.params.file);
        if (!file) return await notFoundPage(call, "../../../");
        return await replyFor(call, { name: `${file}.csv`, up: "../../../" }, async (found) => {
          const { pageCsvRows: csvRows } = await import("../../web/page/page-csv-rows.ts");
          const steps = csvRows(file, await figuresOf(call, found));
          const { heading, rows } = await runYielding(steps, call.yieldNow);
          const { chunks } = await csvReplyChunks(heading, rows, (row) => row, call.yieldNow);
          // Compressing a long file would block the event loop for too long.
          const isLong = chunks.length > MAX_COMPRESSED_CHUNKS;
          const encoding = isLong
            ? "identity"
            : responseEncodingFor(call.request.headers.get("accept-encoding"));
          return {
            ...(isLong ? { chunks } : { raw: compressResponseBody(chunks.join(""), encoding) }),
            headers: {
              ...PRIVATE_HEADERS,
              ...encodingHeaders(encoding),
              "content-type": "text/csv; charset=utf-8",
              "content-disposition": `attachment; filename="${found.property.id}-${file}.csv"`,
            },
          };
        });
      },
    }),
  ];
}

const styleAt = async (up: string) => `${up}assets/${(await browserAssetTable()).fileOf("embed.css")}`;

/** The URL of the page ends with its token, so its links start with the token. */
const linksOf = (token: string): DataLinks => ({
  csv: (file, componentId) =>
    `${token}/${file}.csv${componentId === undefined ? "" : `?component=${componentId}`}`,
  components: `${token}/components`,
  schedule: `${token}/schedule`,
  actions: "#actions",
  workbook: `${token}/${WORKBOOK}`,
});
