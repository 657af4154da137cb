import {
  parseApplianceChangeJson,
  parseNewApplianceJson,
} from "../../../src/api-schemas/appliance-schema.ts";
import {
  parseClaimListJson,
  parseClaimRequestJson,
  parseNewClaimJson,
} from "../../../src/api-schemas/claim-schema.ts";
import { parseComponentChangeJson } from "../../../src/api-schemas/component-change-schema.ts";
import { parseCostBookJson, parseCostLineJson } from "../../../src/api-schemas/cost-book-schema.ts";
import { parseEmbedChangeJson, parseNewEmbedJson } from "../../../src/api-schemas/embed-request-schema.ts";
import { parseFailedDeliveryWindowJson } from "../../../src/api-schemas/failed-delivery-window-schema.ts";
import { parseBrandChangeJson } from "../../../src/api-schemas/partner-brand-schema.ts";
import {
  parseNewPartnerJson,
  parsePartnerSettingsJson,
  parseSecretOverlapJson,
} from "../../../src/api-schemas/partner-settings-schema.ts";
import {
  parseNewPropertyJson,
  parsePropertyChangeJson,
  parsePropertyMergeJson,
} from "../../../src/api-schemas/property-request-schema.ts";
import { parseSavedFilterJson } from "../../../src/api-schemas/saved-filter-schema.ts";
import {
  parseFlatSmartEventJson,
  parseMeterEventJson,
  parseSmartEventJson,
} from "../../../src/api-schemas/sensor-event-schema.ts";
import {
  parseNewServiceEventJson,
  parseServiceEventChangeJson,
} from "../../../src/api-schemas/service-event-schema.ts";
import { parseTokenRequestJson } from "../../../src/api-schemas/system-schema.ts";
import { parseWorkMarkJson } from "../../../src/api-schemas/work-mark-schema.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { findNoteKeywords } from "../../../src/domain/scoring/find-note-keywords.ts";
import { parseHeaderWeights } from "../../../src/http/accept-header.ts";
import { clientAddress } from "../../../src/http/client-address.ts";
import { responseEncodingFor } from "../../../src/http/content-encoding.ts";
import { matchesEntityTag } from "../../../src/http/entity-tag.ts";
import { anyHostHeaderCheck } from "../../../src/http/host-header.ts";
import {
  parseActionFilterHttpQuery,
  parseAlertTierHttpQuery,
  parseHttpQuery,
  parsePlanTermsHttpQuery,
  parsePropertyFilterHttpQuery,
  parseReserveFormTermsHttpQuery,
  parseRetiredFilterHttpQuery,
  parseRowRangeHttpQuery,
  parseSearchTextHttpQuery,
  parseSinceHttpQuery,
  parseTierHttpQuery,
} from "../../../src/http/http-query-parameters.ts";
import { idempotencyKey } from "../../../src/http/idempotency-key.ts";
import {
  parseInsuredLayerHttpQuery,
  parseLossRequestHttpQuery,
  parsePremiumTermsHttpQuery,
} from "../../../src/http/loss-query-parameters.ts";
import { parseHttpRequestBodyObject } from "../../../src/http/request-body.ts";
import { parseIpNetwork } from "../../../src/ip-networks/ip-network.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";
import { bearerTokenSecrets } from "../../../src/secrets/bearer-tokens.ts";
import { impersonationTokens } from "../../../src/secrets/impersonation-token.ts";
import type { MasterKey } from "../../../src/secrets/master-key.ts";
import type { Target } from "../target.ts";

const buffers = (...texts: string[]) => texts.map((text) => Buffer.from(text));
/** Header values reach the server as bytes, one character each. */
const header = (input: Buffer) => input.toString("latin1").replaceAll(/[\0\r\n]/g, " ");

/** Returns 1 if the value is accepted and 0 if it is refused. */
function accepts(read: () => unknown): 0 | 1 {
  try {
    read();
    return 1;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return 0;
  }
}

const knowledge = embeddedKnowledge();
const KNOWN_PARAMETERS = [
  ...["limit", "offset", "tier", "since", "years", "inflation_pct", "budget", "sandbox", "systems", "perils"],
  ...["state", "country", "city", "zip", "q", "flag", "retired", "include_retired", "sort", "deductible"],
  ...["risk_load", "expense_ratio", "loss_adjustment_ratio", "include_demo", "hud", "loan_term"],
  ...["minimum_item_cost", "opening_balance", "escrow_pct", "interest_pct", "minimum_balance"],
  ...["deposit_growth_pct", "due_by", "min_cost", "max_cost", "system", "action", "work"],
];
const QUERY_PARSERS: readonly ((values: ReadonlyMap<string, string>) => unknown)[] = [
  parseRowRangeHttpQuery,
  parseTierHttpQuery,
  parseAlertTierHttpQuery,
  parseSinceHttpQuery,
  parsePlanTermsHttpQuery,
  parseReserveFormTermsHttpQuery,
  parseLossRequestHttpQuery,
  parsePremiumTermsHttpQuery,
  parseInsuredLayerHttpQuery,
  parseActionFilterHttpQuery,
  parseRetiredFilterHttpQuery,
  parseSearchTextHttpQuery,
  (values) => parsePropertyFilterHttpQuery(values, knowledge.knownHazards),
];

const query: Target = {
  name: "query",
  seeds: buffers(
    "?limit=10&offset=20&tier=critical&since=2026-01-31T15:04:05%2B01:00",
    "?years=30&inflation_pct=3.5&budget=100000&sandbox=true",
    "?systems=hvac,plumbing&perils=water&state=CA-ON&deductible=1000&limit=50000&risk_load=0.3&expense_ratio=0.25",
    "?hud=true&loan_term=35&minimum_item_cost=500&opening_balance=1000&escrow_pct=80&deposit_growth_pct=2",
    "?city=Elm&zip=10001&q=oak&country=US&flag=cpvc_piping&retired=true&include_retired=false&sort=cost",
    "?due_by=2027-03-01&min_cost=100&max_cost=5000.5&system=hvac&action=replace_unit&work=open",
  ),
  words: [
    "limit=",
    "offset=",
    "tier=",
    "since=",
    "years=",
    "budget=",
    "systems=",
    "state=",
    "country=",
    "deductible=",
    "risk_load=",
    ",",
    "1e308",
    "&",
    "%00",
    "%F0%9F%8F%A0",
    "%ed%a0%80",
    "+",
  ],
  parse(input) {
    const values = parseHttpQuery(input.toString("utf8"), KNOWN_PARAMETERS);
    const accepting = QUERY_PARSERS.map((parse) => accepts(() => parse(values)));
    return `${accepting.join("")} ${[...values.keys()].join(" ")}`;
  },
};

const headers: Target = {
  name: "headers",
  seeds: buffers(
    "gzip;q=0.5, br",
    'W/"abc", "x"',
    "10.0.0.1, 192.0.2.7",
    "risk.example.com:8080",
    "a-key-1",
    "[::1]:80",
  ),
  words: ["q=", ";", ",", '"', "*", "W/", "[::1]", ":99999", "x-gzip", "identity;q=0"],
  parse(input) {
    const value = header(input);
    parseHeaderWeights(value);
    const encoding = responseEncodingFor(value);
    matchesEntityTag(value, 'W/"abc"');
    clientAddress("127.0.0.1", value, (address) => address.startsWith("10."));
    const key = new Headers({ "idempotency-key": value });
    idempotencyKey(key);
    return `${encoding} ${anyHostHeaderCheck(value)?.code ?? "host"}`;
  },
};

const master = new Uint8Array(32).fill(7) as MasterKey;
const bearer = bearerTokenSecrets(master, (bytes) => bytes.fill(1));
const acting = impersonationTokens(master);
const NOW = Date.parse("2026-01-01T00:00:00Z");
const ID = `PARTNER_${"0".repeat(26)}`;

const tokens: Target = {
  name: "tokens",
  seeds: [
    Buffer.from(await bearer.issue({ partnerId: ID, generation: 1, now: NOW })),
    Buffer.from(acting.issue(ID.replace("PARTNER", "ADMIN"), NOW)),
  ],
  words: [".", "svct_", "eyJhbGciOiJub25lIn0", "=", "==", "-", "_"],
  async parse(input) {
    const text = input.toString("utf8");
    const claims = await bearer.verify(text, NOW);
    return `${claims?.partnerId === ID} ${acting.verify(text, NOW) !== undefined}`;
  },
};

const READERS = [
  parseNewPropertyJson,
  parseNewApplianceJson,
  parseNewClaimJson,
  parseNewServiceEventJson,
  parseMeterEventJson,
  parseSmartEventJson,
];
const MOST_VALUES = 31_000;

const body: Target = {
  name: "body",
  seeds: buffers(
    '{"name":"Elm Court","address":"1 Elm St","state":"NY","unit_count":3,"year_built":1970,"records_since":"1990-01-01"}',
    '{"property_id":"P_1","type_id":"roof","install_year":1990,"brand_tier":"budget","usage_intensity":1.5}',
    '{"claim_type":"water_damage","date_of_loss":"2026-01-01","amount":100.25,"description":"leak"}',
    '{"appliance_id":"A_1","event_type":"Repair","date":"2026-01-01","parts_cost":10,"notes":"replaced"}',
    '{"sensor_id":"s","appliance_id":"A_1","metric":"temp","value":71.5,"recorded_at":"2026-01-01T00:00:00Z"}',
    '{"sensor_id":"s","event_type":"water_leak","severity":"critical","appliance":{"appliance_id":"A_1"}}',
  ),
  words: ['"__proto__":', "null", "[[[[", "1e999", "\\u0000", "\\ud800", '"name":1,', "{", "}", '"'],
  parse(input) {
    const value = parseHttpRequestBodyObject(input, MOST_VALUES);
    return READERS.map((read) => accepts(() => read(value))).join("");
  },
};

const CHANGE_READERS: readonly ((given: Record<string, unknown>) => unknown)[] = [
  parsePropertyChangeJson,
  parsePropertyMergeJson,
  parseApplianceChangeJson,
  parseComponentChangeJson,
  parseServiceEventChangeJson,
  parseClaimRequestJson,
  parseClaimListJson,
  parseWorkMarkJson,
  parseFlatSmartEventJson,
  (given) => parseCostBookJson(given).map((line) => accepts(() => parseCostLineJson(line, "2026-01-01"))),
  parseNewEmbedJson,
  parseBrandChangeJson,
  parseFailedDeliveryWindowJson,
  (given) => parseNewPartnerJson(given, 1000),
  parsePartnerSettingsJson,
  parseEmbedChangeJson,
  parseSecretOverlapJson,
  parseSavedFilterJson,
  parseTokenRequestJson,
];

const changes: Target = {
  name: "changes",
  seeds: buffers(
    '{"name":"Elm Court","retired_at":"2026-01-01","retired_reason":"sold","notes":null,"records_since":null}',
    '{"from":"P_01k0000000000000000000000a"}',
    '{"property_id":"P_1","unit_id":null,"type_id":"roof","size":20.5,"retired_at":null}',
    '{"proactive_cost":1850,"reactive_cost":3200.5,"install_year":1990,"condition":"fair","flags":["cpvc_piping"]}',
    '{"event_type":"Repair","date":"2026-01-01","voided":true,"reason":"entered twice"}',
    '{"status":"denied","paid":100.25,"valued_at":"2026-01-01"}',
    '{"claims":[{"claim_type":"water_damage","date_of_loss":"2026-01-01","amount":100}]}',
    '{"component_id":"C_1","state":"done","by":"Jo","date":"2026-01-01","total_cost":12.5}',
    '{"lines":[{"type_id":"water_heater_gas","proactive_cost":1850,"size":50,"state":"CA-ON","as_of":"2026-01-01"}]}',
    '{"property_id":"P_1","expires_days":30,"label":"Bank","recipient":"First","passcode":"maple-4711"}',
    '{"display_name":"Acme","color":"#0A7A6E","color_dark":"#7cc5bc","logo_png":"iVBORw0KGgo="}',
    '{"since":"2026-01-01T00:00:00Z","until":"2026-01-02T00:00:00Z","dry_run":true}',
    '{"name":"Acme","daily_budget":1000,"webhook_url":"https://hooks.example.com/x"}',
    '{"name":"Old boilers","query":"system=hvac&tier=critical","overlap_hours":24}',
    '{"grant_type":"client_credentials","client_id":"svc_client_1","client_secret":"svc_secret_1"}',
  ),
  words: [
    '"__proto__":',
    "null",
    "[[[[",
    "1e999",
    "\\u0000",
    "\\ud800",
    '"from":1,',
    "{",
    "}",
    '"',
    "2026-02-30",
    "CA-ON",
  ],
  parse(input) {
    const value = parseHttpRequestBodyObject(input, MOST_VALUES);
    return CHANGE_READERS.map((read) => accepts(() => read(value))).join("");
  },
};

const rules = knowledge.keywords;

const notes: Target = {
  name: "notes",
  seeds: buffers(
    "Found a leak at the tank; no corrosion. Replaced the valve, compressor may be failing soon.",
    "Unit does not heat. Not leaking any more - fixed.",
  ),
  words: ["leak", "not", "no", "fixed", "if", "corrosion", ";", ". ", "—", "İ", "ß"],
  parse: (input) => findNoteKeywords(rules, input.toString("utf8")).length,
};

const network: Target = {
  name: "network",
  seeds: buffers("10.0.0.0/8", "fd00::/8", "192.0.2.1", "::ffff:10.0.0.0/104"),
  words: ["/", ":", "::", "/0", "/129", "%eth0", "0x7f.1"],
  parse: (input) => void parseIpNetwork(input.toString("utf8")),
};

export const REQUEST_TARGETS: readonly Target[] = [query, headers, tokens, body, changes, notes, network];
