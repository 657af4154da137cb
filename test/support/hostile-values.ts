/*
 * Hostile values as they are written on the wire. A text within ‹ and › is a placeholder that is replaced when the
 * request is sent: see STAND_INS.
 */

/** In place of any JSON value. */
export const JSON_VALUES = [
  ...["null", "true", "0", "-1", "-0", "1.5", "1e999", "-1e999", "1e308", "5e-324", "1e-400"],
  ...["9007199254740993", "123456789012345678901234567890", "0.30000000000000004", "99999"],
  ...['""', '" "', '"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"a\\udc00\\ud800b"', '"a\\u0007b"', '"a\\nb"'],
  ...['"\\u2028"', '"\\u202e"', '"\\ufffe"', '"\ufeff"', '"\u{1f3e0}"', '"1"', '"true"', '"NaN"', '"null"'],
  ...['"__proto__"', '"constructor"', '"toString"', '"hasOwnProperty"', '"prototype"'],
  ...['"2026-02-30"', '"0000-00-00"', '"9999-12-31"', '"275760-09-13"', '"2026-1-1"', '"1899-12-31"'],
  ...['"+275760-09-13T00:00:00.000Z"', '"2026-01-01T25:00:00Z"', '"2026-01-01T00:00:00+99:99"'],
  ...["[]", "{}", "[[]]", "[null]", "[{}]", '{"__proto__":{"is_demo":true}}', '{"length":1001}'],
  ...['{"constructor":{"prototype":{"is_demo":true}}}', '{"toString":1,"valueOf":1}', '{"a":1,"a":2}'],
  ...['"‹500›"', '"‹501›"', '"‹10000›"', '"‹10001›"', "‹deep›", '{"a":‹deep›}', "[‹1001 items›]"],
  ...['"‹P_›"', '"‹A_›"', '"‹C_›"', '"‹U_›"', '"‹SE_›"', '"‹other P_›"', '"‹other A_›"', '"‹other C_›"'],
  ...[
    '"P_"',
    '"P_00000000000000000000000000"',
    '"\' OR 1=1 --"',
    '"%s%n"',
    '"../../etc/passwd"',
    '"{{7*7}}"',
  ],
] as const;

/** In place of one field of a body: also numbers of any length, and lists and objects of any size. */
export const FIELD_VALUES = [
  ...JSON_VALUES,
  ...["9007199254740992", "-9007199254740993", "1e400", "-1e400", "1e-7", "1E+2", "0e0", "‹1000 digits›"],
  ...["[‹100000 items›]", '{"‹10000›":1}', '"\udc00\ud800"', '"\u202e\u0000"', '"‹10000›\u0000"'],
] as const;

/** Names that no field and no parameter has, but an object may have. */
export const NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "prototype",
  "",
  "unknown",
  "is_demo",
  "id",
] as const;

/** In place of a whole JSON body. */
export const BODIES = [
  ...[
    "",
    " ",
    "null",
    "[]",
    "[{}]",
    '"text"',
    "0",
    "{",
    "}",
    '{"a":1,}',
    "{'a':1}",
    '{"a":1}{"b":2}',
    "\ufeff{}",
  ],
  ...[
    "‹deep›",
    '{"a":‹deep›}',
    '{"__proto__":null}',
    '{"a":NaN}',
    '{"a":01}',
    '{"a":"\u0000"}',
    "//\n{}",
    "\u0000",
  ],
] as const;

export const MEDIA_TYPES = [
  ...["text/plain", "application/xml", "", "application/jsonp", "application/json; charset=utf-16"],
  ...[
    "multipart/form-data",
    "application/x-www-form-urlencoded",
    "APPLICATION/JSON",
    "application/json;;;",
    "*/*",
  ],
] as const;

/** In place of a parameter's value, as written in a query string or a form. */
export const QUERIES = [
  ...[
    "",
    "0",
    "-1",
    "1e9",
    "1.5",
    "x",
    "999999999999999999999",
    "%zz",
    "%",
    "%c3%28",
    "%00",
    "%ff",
    "%ed%a0%80",
  ],
  ...[
    "NaN",
    "null",
    "[]",
    "true",
    "TRUE",
    "__proto__",
    "constructor",
    "+",
    "%20",
    "%0a",
    "critical",
    "‹P_›",
    "‹A_›",
  ],
  ...[
    "2026-01-01",
    "2026-13-01",
    "275760-09-13",
    "%2B275760-09-13T00:00:00.000Z",
    "-000001-01-01",
    "0001-01-01",
  ],
  ...["‹other P_›", "‹other A_›", "P_00000000000000000000000000", "‹501›", "%F0%9F%8F%A0", "'", "1'--"],
] as const;

/** In place of an id in a path. */
export const PATHS = [
  ...[
    "%zz",
    "%",
    "%00",
    "%c3%28",
    "%ff",
    "%ed%a0%80",
    "%2F",
    "a%2Fb",
    "%252F",
    "%20",
    "0",
    "-1",
    "null",
    "undefined",
  ],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "‹P_›",
    "‹A_›",
    "‹C_›",
    "‹other P_›",
    "‹other A_›",
    "‹other C_›",
  ],
  ...["P_", "A_1", "P_00000000000000000000000000", "‹501›", "%F0%9F%8F%A0", "'", ";", ":id", "*", "a.b", "…"],
] as const;

/** In place of a header's value. */
export const HEADERS = [
  ...[
    "",
    "a",
    "b",
    "*",
    '""',
    'W/"x"',
    '"x","y"',
    "__proto__",
    "caf\u00e9",
    "a\tb",
    "‹255›",
    "‹256›",
    "‹10001›",
  ],
  ...[
    "Bearer",
    "Bearer x",
    "Bearer svct_a.b.c",
    "Basic !",
    "Basic Og==",
    "svc_live_",
    "127.0.0.1, x",
    "text/html",
  ],
] as const;

/** Returns a text of that many characters of three bytes each, which a database cannot compress. */
const longest = (characters: number) =>
  String.fromCharCode(...Array.from({ length: characters }, (_, at) => 0x4e00 + ((at * at * 7919) % 20_011)));

/** Shortens a value that is too long for the message of a failure. */
export const STAND_INS = {
  500: longest(500),
  10000: longest(10_000),
  255: "x".repeat(255),
  256: "x".repeat(256),
  501: "x".repeat(501),
  10001: "x".repeat(10_001),
  deep: "[".repeat(10_000) + "]".repeat(10_000),
  "1000 digits": "9".repeat(1000),
  "100000 items": Array.from({ length: 100_000 }, () => "0").join(","),
  "1001 items": Array.from({ length: 1001 }, () => "{}").join(","),
} as const;
