import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import {
  type BrandJson,
  parseBrandChangeJson,
  serializeBrand,
} from "../../api-schemas/partner-brand-schema.ts";
import { OperatorError } from "../../domain/errors.ts";
import { MAX_LOGO_BYTES } from "../../domain/rules/brand-logo-rule.ts";
import { brandContrastByRule, isHexColor } from "../../domain/rules/partner-brand-rule.ts";
import { brandContrastWording } from "../../domain/wording/brand-contrast-wording.ts";
import { changeEmbedBrand, loadEmbedBrand } from "../../usecases/embeds/change-embed-brand.ts";
import { requirePartner } from "../../usecases/partners/create-partner-and-credentials.ts";
import {
  defineCommand,
  requiredCommandArgument,
  switchOption,
  textOption,
  UsageError,
  valueOption,
} from "../command.ts";
import { withCommandAdministration } from "../command-data-access.ts";

function readColor(typed: string): string {
  if (isHexColor(typed.toLowerCase())) return typed;
  throw new UsageError(`expected a color such as #1a5f5a, got ${JSON.stringify(typed)}`);
}

/** Shows or changes how a partner's embeds look. */
export const brandCommand = defineCommand({
  name: "brand",
  summary: "show or change the name, colors and logo of a partner's embeds",
  description:
    "Without options, it shows them. Embeds, their prints and their passcode forms have them. A color must have a " +
    "contrast of 4.5:1; otherwise the nearest that has it is printed. --clear removes everything that is not set by " +
    "another option.",
  arguments: { partnerId: requiredCommandArgument("the partner's ID") },
  options: {
    name: textOption("TEXT", "the name at the top"),
    color: valueOption("COLOR", "color of links and buttons, such as #1a5f5a", readColor),
    colorDark: valueOption(
      "COLOR",
      "the same on dark pages (default: the nearest to --color that is readable)",
      readColor,
    ),
    logo: textOption("FILE", "a PNG image of at most 64 KB and 1024 × 1024 pixels"),
    clear: switchOption("remove name, colors and logo"),
  },
  examples: [
    'mainstay partner brand PARTNER_… --name "First National Bank" --color "#1a5f5a" --logo logo.png',
    "mainstay partner brand PARTNER_… --clear",
  ],
  async run(context, { partnerId }, { name, color, colorDark, logo, clear }) {
    const png = logo === undefined ? undefined : readLogoFile(resolve(context.cwd, logo), logo);
    const given = {
      ...(clear && { display_name: null, color: null, logo_png: null }),
      ...(name !== undefined && { display_name: name }),
      ...(color !== undefined && { color }),
      ...(colorDark !== undefined && { color_dark: colorDark }),
      ...(png !== undefined && { logo_png: png }),
    };
    const isChange = Object.keys(given).length > 0;
    const change = parseBrandChangeJson(given);
    const brand = await withCommandAdministration(context, async (administration) => {
      const { store } = administration;
      await requirePartner(store, partnerId);
      return isChange
        ? await changeEmbedBrand(administration, partnerId, change)
        : await loadEmbedBrand(store.read, partnerId);
    });
    const record = serializeBrand(partnerId, brand);
    context.print(record, inWords(record));
  },
});

/** Returns the file as base64. A file that cannot be a logo is refused before it is read. */
function readLogoFile(path: string, typed: string): string {
  try {
    const file = statSync(path);
    // A pipe or a device has a size of 0 and no end.
    if (!file.isFile()) throw new Error("it is not a regular file");
    if (file.size <= MAX_LOGO_BYTES) return readFileSync(path).toString("base64");
  } catch (error) {
    throw new OperatorError(
      `cannot read ${typed}: ${error instanceof Error ? error.message : String(error)}`,
      "Check the file's path and permissions.",
    );
  }
  throw new UsageError(`--logo: ${typed} has more than ${MAX_LOGO_BYTES / 1024} KB`);
}

function inWords({ display_name, color, color_dark, logo }: BrandJson): string {
  const shown = (value: string | null, scheme: "light" | "dark") =>
    value === null
      ? "default"
      : `${value}, contrast ${brandContrastWording(brandContrastByRule(value as `#${string}`, scheme))}`;
  return [
    `Name           ${display_name ?? "none"}`,
    `Color          ${shown(color, "light")}`,
    `On dark pages  ${shown(color_dark, "dark")}`,
    `Logo           ${logo === null ? "none" : `PNG, ${logo.width} × ${logo.height} pixels`}`,
  ].join("\n");
}
