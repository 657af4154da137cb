import { Failure } from "../../../src/domain/errors.ts";
import { findings } from "../../../src/domain/scoring/keywords.ts";
import { parseWeights } from "../../../src/http/accept.ts";
import { parseJsonObject } from "../../../src/http/body.ts";
import { clientAddress } from "../../../src/http/client-address.ts";
import { encodingFor } from "../../../src/http/encoding.ts";
import { matchesTag } from "../../../src/http/entity-tag.ts";
import { anyHost } from "../../../src/http/host.ts";
import { idempotencyKey } from "../../../src/http/idempotency.ts";
import {
  parseAlertTier,
  parsePlanTerms,
  parseQuery,
  parseSince,
  parseSlice,
  parseTier,
} from "../../../src/http/query.ts";
import { loadKnowledge } from "../../../src/knowledge/load.ts";
import { parseNetwork } from "../../../src/networks.ts";
import { impersonationTokens } from "../../../src/secrets/impersonation-token.ts";
import type { MasterKey } from "../../../src/secrets/master-key.ts";
import { bearerTokens } from "../../../src/secrets/tokens.ts";
import { readNewAppliance } from "../../../src/wire/appliance.ts";
import { readNewClaim } from "../../../src/wire/claim.ts";
import { readNewProperty } from "../../../src/wire/property-input.ts";
import { readMeterEvent, readSmartEvent } from "../../../src/wire/sensor-event.ts";
import { readNewServiceEvent } from "../../../src/wire/service-event.ts";
import type { Target } from "../target.ts";

const buffers = (...texts: string[]) => texts.map((text) => Buffer.from(text));
/** Header values reach the server as bytes, one character each. */
const header = (input: Buffer) => input.toString("latin1").replaceAll(/[\0\r\n]/g, " ");

const query: Target = {
  name: "query",
  seeds: buffers(
    "?limit=10&offset=20&tier=critical&since=2026-01-31T15:04:05%2B01:00",
    "?years=30&inflation_pct=3.5&budget=100000&sandbox=true",
  ),
  words: [
    "limit=",
    "offset=",
    "tier=",
    "since=",
    "years=",
    "budget=",
    "&",
    "%00",
    "%F0%9F%8F%A0",
    "%ed%a0%80",
    "+",
  ],
  parse(input) {
    const known = ["limit", "offset", "tier", "since", "years", "inflation_pct", "budget", "sandbox"];
    const values = parseQuery(input.toString("utf8"), known);
    parseSlice(values);
    parseTier(values);
    parseAlertTier(values);
    parseSince(values);
    parsePlanTerms(values);
    return [...values.keys()].join(" ");
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
    parseWeights(value);
    const encoding = encodingFor(value);
    matchesTag(value, 'W/"abc"');
    clientAddress("127.0.0.1", value, (address) => address.startsWith("10."));
    const key = new Headers({ "idempotency-key": value });
    idempotencyKey(key);
    return `${encoding} ${anyHost(value)?.code ?? "host"}`;
  },
};

const master = new Uint8Array(32).fill(7) as MasterKey;
const bearer = bearerTokens(master, (bytes) => bytes.fill(1));
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
  readNewProperty,
  readNewAppliance,
  readNewClaim,
  readNewServiceEvent,
  readMeterEvent,
  readSmartEvent,
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
    const value = parseJsonObject(input, MOST_VALUES);
    return READERS.map((read) => {
      try {
        read(value);
        return 1;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return 0;
      }
    }).join("");
  },
};

const rules = loadKnowledge().keywords;

const notes: Target = {
  name: "notes",
  seeds: buffers(
    "Found a leak at the tank; no corrosion. Replaced the valve, compressor may be failing soon.",
    "Unit does not heat. Not leaking any more - fixed.",
  ),
  words: ["leak", "not", "no", "fixed", "if", "corrosion", ";", ". ", "—", "İ", "ß"],
  parse: (input) => findings(rules, input.toString("utf8")).length,
};

const network: Target = {
  name: "network",
  seeds: buffers("10.0.0.0/8", "fd00::/8", "192.0.2.1", "::ffff:10.0.0.0/104"),
  words: ["/", ":", "::", "/0", "/129", "%eth0", "0x7f.1"],
  parse: (input) => void parseNetwork(input.toString("utf8")),
};

export const REQUEST_TARGETS: readonly Target[] = [query, headers, tokens, body, notes, network];
