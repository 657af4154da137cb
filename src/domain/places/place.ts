import { invalid } from "../errors.ts";

/*
 * The place of a property is one text: the USPS abbreviation of a state in the US (`NY`), elsewhere the country and its
 * subdivision (`CA-ON`), so that Western Australia is not Washington wherever places are compared, counted or priced.
 */

export const UNITED_STATES = "US";
const LONGEST_SUBDIVISION = 10;
const LONGEST_POSTAL_CODE = 12;

const STATES = new Set(
  (
    "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH " +
    "OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY PR GU VI AS MP"
  ).split(" "),
);

/** ISO 3166-1 alpha-2, without the codes of US territories, which are states here. */
const COUNTRIES = new Set(
  (
    "AD AE AF AG AI AL AM AO AQ AR AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC " +
    "CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB " +
    "GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG " +
    "KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MQ MR MS MT MU MV " +
    "MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PS PT PW PY QA RE RO RS RU RW SA SB " +
    "SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM " +
    "US UY UZ VA VC VE VG VN VU WF WS YE YT ZA ZM ZW"
  ).split(" "),
);

const refuse = (field: string, message: string) => invalid(`${field} ${message}`, [{ field, message }]);

/** Returns the code in upper case. Throws invalid_request unless it is a country's, or for a US territory. */
export function countryCodeOfText(text: string): string {
  const country = text.trim().toUpperCase();
  if (COUNTRIES.has(country)) return country;
  throw refuse(
    "country",
    STATES.has(country) && /^(PR|GU|VI|AS|MP)$/.test(country)
      ? `must be US for ${country}, which is a state here`
      : "must be a country's two-letter code (ISO 3166-1), such as CA",
  );
}

/**
 * Returns the place of a state or other subdivision in a country. Throws invalid_request unless it is one of the 50 states,
 * DC, PR, GU, VI, AS or MP, or in another country a code of up to 10 characters.
 * @example
 * placeOfSubdivision("CA", "on") // "CA-ON"
 */
export function placeOfSubdivision(
  country: string,
  text: string,
  elsewhere = "; for another country, set country",
): string {
  const code = text.trim().toUpperCase();
  if (country === UNITED_STATES) {
    if (STATES.has(code)) return code;
    throw refuse("state", `must be the abbreviation of a US state, DC, PR, GU, VI, AS or MP${elsewhere}`);
  }
  const subdivision = code.startsWith(`${country}-`) ? code.slice(country.length + 1) : code;
  // Upper case may be longer than what was given.
  if (/^[\p{L}\p{N}][\p{L}\p{N}\p{M} .'-]*$/u.test(subdivision) && subdivision.length <= LONGEST_SUBDIVISION)
    return `${country}-${subdivision}`;
  throw refuse("state", `must be a state, province or region of 1 to ${LONGEST_SUBDIVISION} characters`);
}

/** Parses a place of a filter: a US state, or COUNTRY-SUBDIVISION. `country` is the country of a subdivision alone. */
export function placeOfStateOrSubdivision(text: string, country?: string): string {
  if (country !== undefined) return placeOfSubdivision(country, text);
  const [, prefix = "", rest = ""] = /^\s*([A-Za-z]{2})-(.+)$/.exec(text) ?? [];
  const given = prefix.toUpperCase();
  return COUNTRIES.has(given) && given !== UNITED_STATES
    ? placeOfSubdivision(given, rest)
    : placeOfSubdivision(UNITED_STATES, text, ", or COUNTRY-SUBDIVISION elsewhere, such as CA-ON");
}

/** Joins the parts of a place that a response states. */
export const joinPlace = ({ country, state }: { country: string; state: string }): string =>
  country === UNITED_STATES ? state : `${country}-${state}`;

export const countryOf = (place: string): string => (place[2] === "-" ? place.slice(0, 2) : UNITED_STATES);

/** Returns the state or other subdivision of a place, without its country. */
export const subdivisionOf = (place: string): string => (place[2] === "-" ? place.slice(3) : place);

/** Returns whether the text may be the postal code of some country. */
export function isPostalCode(text: string): boolean {
  const code = text.trim();
  return code.length <= LONGEST_POSTAL_CODE && /^[A-Z0-9]([A-Z0-9 -]*[A-Z0-9])?$/i.test(code);
}

/** Returns a postal code as stored. Throws invalid_request for one that the country does not have. */
export function parsePostalCode(country: string, text: string): string {
  const code = text.trim().toUpperCase();
  if (country === UNITED_STATES) {
    if (/^\d{5}(-\d{4})?$/.test(code)) return code;
    throw refuse("zip", "must be a ZIP code with 5 or 5+4 digits; for another country, set country");
  }
  if (isPostalCode(code)) return code;
  throw refuse(
    "zip",
    `must be a postal code of 1 to ${LONGEST_POSTAL_CODE} letters, digits, spaces and hyphens`,
  );
}
