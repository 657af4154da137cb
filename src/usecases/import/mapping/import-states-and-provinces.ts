/* States and provinces by their names and postal codes. */

const NAMES: ReadonlyMap<string, string> = new Map(
  (
    "alabama AL,alaska AK,arizona AZ,arkansas AR,california CA,colorado CO,connecticut CT,delaware DE," +
    "district of columbia DC,florida FL,georgia GA,hawaii HI,idaho ID,illinois IL,indiana IN,iowa IA,kansas KS," +
    "kentucky KY,louisiana LA,maine ME,maryland MD,massachusetts MA,michigan MI,minnesota MN,mississippi MS," +
    "missouri MO,montana MT,nebraska NE,nevada NV,new hampshire NH,new jersey NJ,new mexico NM,new york NY," +
    "north carolina NC,north dakota ND,ohio OH,oklahoma OK,oregon OR,pennsylvania PA,rhode island RI," +
    "south carolina SC,south dakota SD,tennessee TN,texas TX,utah UT,vermont VT,virginia VA,washington WA," +
    "west virginia WV,wisconsin WI,wyoming WY,puerto rico PR,guam GU," +
    "alberta AB,british columbia BC,manitoba MB,new brunswick NB,newfoundland and labrador NL,nova scotia NS," +
    "ontario ON,prince edward island PE,quebec QC,saskatchewan SK,yukon YT,northwest territories NT,nunavut NU," +
    "colombie britannique BC,nouveau brunswick NB,nouvelle ecosse NS,terre neuve et labrador NL," +
    "ile du prince edouard PE"
  )
    .split(",")
    .map((entry) => [entry.slice(0, -3), entry.slice(-2)] as const),
);

/** Returns the abbreviation of a state or province by its name in plain words. */
export const importedStateAbbreviation = (words: string): string | undefined => NAMES.get(words);

/** The province of a Canadian postal code by its first letter; that of the territories is left open. */
const PROVINCES: ReadonlyMap<string, string | undefined> = new Map(
  [
    ...["A NL", "B NS", "C PE", "E NB", "G QC", "H QC", "J QC", "K ON", "L ON", "M ON", "N ON", "P ON"],
    ...["R MB", "S SK", "T AB", "V BC", "X", "Y YT"],
  ].map((entry) => [entry[0]!, entry.slice(2) || undefined] as const),
);
const CANADIAN = /^[A-Z]\d[A-Z]( ?\d[A-Z]\d)?$/i;

/** Returns whether all postal codes are Canadian. */
export const areImportedPostalCodesCanadian = (postalCodes: readonly string[]): boolean =>
  postalCodes.length > 0 &&
  postalCodes.every((code) => CANADIAN.test(code.trim()) && PROVINCES.has(code.trim()[0]!.toUpperCase()));

/** Returns the province that Canadian postal codes lie in; undefined if any is another country's, or they differ. */
export function importProvinceOfPostalCodes(postalCodes: readonly string[]): string | undefined {
  if (!areImportedPostalCodesCanadian(postalCodes)) return undefined;
  const found = new Set(postalCodes.map((code) => PROVINCES.get(code.trim()[0]!.toUpperCase())));
  return found.size === 1 ? [...found][0] : undefined;
}
