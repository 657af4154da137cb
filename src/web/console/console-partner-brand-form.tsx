import { useState } from "preact/hooks";
import type { BrandJson } from "../../api-schemas/partner-brand-schema.ts";
import { LOGO_SIDES, MAX_LOGO_BYTES } from "../../domain/rules/brand-logo-rule.ts";
import {
  brandContrastByRule,
  GROUNDS,
  isHexColor,
  LEAST_CONTRAST,
  MAX_BRAND_NAME,
  readableBrandColorByRule,
} from "../../domain/rules/partner-brand-rule.ts";
import { brandContrastWording } from "../../domain/wording/brand-contrast-wording.ts";
import { messageOfFailedEdit, pageEditConflictMessage } from "../records/edit-record.tsx";
import { ReportSection } from "../sections/section.tsx";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { useAdminRead, useConsole } from "./console-context.ts";

/** Shows how a partner's embeds look, and changes it. */
export function ConsolePartnerBrandForm({ path }: { path: string }) {
  const loaded = useAdminRead<BrandJson>(`${path}/brand`);
  return (
    <ReportSection id="brand" title="Name, colors and logo of embeds">
      <LoadedContent loaded={loaded} what="the brand">
        {(brand) => (
          <>
            <BrandPreview {...drawn(brand)} />
            <BrandDialog
              key={JSON.stringify(brand)}
              brand={brand}
              path={`${path}/brand`}
              onChange={loaded.reload}
            />
          </>
        )}
      </LoadedContent>
    </ReportSection>
  );
}

type Drawn = { name: string; color: string; colorDark: string; logo: string | null };

const drawn = ({ display_name, color, color_dark, logo }: BrandJson): Drawn => ({
  name: display_name ?? "",
  color: color ?? "",
  colorDark: color_dark ?? "",
  logo: logo && `data:image/png;base64,${logo.png}`,
});

const LABELS = {
  display_name: "Name",
  color: "Color",
  color_dark: "Color on dark pages",
  logo_png: "Logo",
};

/** Returns the fields with which a brand is changed. */
const settingsOf = ({ display_name, color, color_dark, logo }: BrandJson) => ({
  display_name,
  color,
  color_dark,
  logo_png: logo?.png ?? null,
});

function BrandDialog({ brand, path, onChange }: { brand: BrandJson; path: string; onChange: () => void }) {
  const { api } = useConsole();
  const [shown, setShown] = useState(drawn(brand));
  const set = (name: keyof Drawn) => (event: Event) =>
    setShown({ ...shown, [name]: (event.currentTarget as HTMLInputElement).value });
  const setColor = (event: Event) => {
    const color = (event.currentTarget as HTMLInputElement).value;
    // The dark color follows a new one, unless it was entered in this dialog.
    const colorDark = shown.colorDark === (brand.color_dark ?? "") ? "" : shown.colorDark;
    setShown({ ...shown, color, colorDark });
  };
  const chooseLogo = async (event: Event) => {
    const file = (event.currentTarget as HTMLInputElement).files?.[0];
    if (file) setShown({ ...shown, logo: await dataUrlOf(file) });
  };
  const save = async () => {
    const { name, color, colorDark, logo } = shown;
    const isNameNew = name !== (brand.display_name ?? "");
    const isColorNew = color !== (brand.color ?? "");
    const isDarkNew = colorDark !== (brand.color_dark ?? "");
    const png = logo === null ? null : logo.slice(logo.indexOf(",") + 1);
    // Sends only what was changed here: others may have changed the rest since.
    const change = {
      ...(isNameNew && { display_name: name.trim() === "" ? null : name }),
      ...(isColorNew && { color: color === "" ? null : color }),
      ...(isDarkNew && color !== "" && { color_dark: colorDark === "" ? null : colorDark }),
      ...(png !== (brand.logo?.png ?? null) && { logo_png: png }),
    };
    return await messageOfFailedEdit(async () => {
      const readNow = async () => settingsOf(await api.read<BrandJson>(path));
      const changed = await pageEditConflictMessage(readNow, settingsOf(brand), LABELS, change);
      if (changed !== undefined) return changed;
      await api.write("PUT", path, change);
      onChange();
    });
  };
  return (
    <ConfirmDialog name="Change" title="Name, colors and logo of embeds" onConfirm={save}>
      <div class="edit">
        <label>
          {LABELS.display_name}
          <input maxLength={MAX_BRAND_NAME} autoComplete="off" value={shown.name} onInput={set("name")} />
        </label>
        <label>
          {LABELS.color}
          <input
            autoComplete="off"
            placeholder="Default"
            pattern="#[0-9A-Fa-f]{6}"
            title="A color such as #1a5f5a"
            value={shown.color}
            onInput={setColor}
          />
        </label>
        <label>
          {LABELS.color_dark}
          <input
            autoComplete="off"
            placeholder="Automatic"
            pattern="#[0-9A-Fa-f]{6}"
            title="A color such as #7cc5bc"
            value={shown.colorDark}
            onInput={set("colorDark")}
          />
        </label>
        <label>
          {LABELS.logo_png} (PNG, at most {MAX_LOGO_BYTES / 1024} KB and {LOGO_SIDES.most} pixels)
          <input type="file" accept="image/png" onChange={(event) => void chooseLogo(event)} />
        </label>
        {shown.logo !== null && (
          <p>
            <button type="button" class="outline" onClick={() => setShown({ ...shown, logo: null })}>
              Remove logo
            </button>
          </p>
        )}
      </div>
      <BrandPreview {...shown} />
    </ConfirmDialog>
  );
}

const dataUrlOf = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

/** The colors of the style sheet, without a brand's. */
const DEFAULT_COLORS = { light: "#1a5f5a", dark: "#7cc5bc" } as const;
const INKS = { light: "#1c1b19", dark: "#edeae4" } as const;
const SCHEMES = ["light", "dark"] as const;

/** Draws the top of an embed on light and on dark pages. */
function BrandPreview({ name, color, colorDark, logo }: Drawn) {
  const light = color.toLowerCase();
  const dark = colorDark.toLowerCase();
  const colors = {
    light: isHexColor(light) ? light : DEFAULT_COLORS.light,
    dark: isHexColor(dark)
      ? dark
      : isHexColor(light)
        ? readableBrandColorByRule(light, "dark")
        : DEFAULT_COLORS.dark,
  };
  return (
    <div class="brand-preview">
      {SCHEMES.map((scheme) => {
        const contrast = brandContrastByRule(colors[scheme], scheme);
        const [page, card] = GROUNDS[scheme];
        return (
          <figure>
            <svg
              viewBox="0 0 240 96"
              role="img"
              aria-label={`Preview on ${scheme} pages: ${name || "no name"}`}
            >
              <rect width="240" height="96" fill={page} />
              {logo === null ? (
                <text x="12" y="24" font-size="13" font-weight="600" fill={INKS[scheme]}>
                  {name.length > 28 ? `${name.slice(0, 27)}…` : name}
                </text>
              ) : (
                <>
                  <rect x="12" y="8" width="90" height="24" rx="2" fill="#ffffff" />
                  <image
                    href={logo}
                    x="12"
                    y="8"
                    width="90"
                    height="24"
                    preserveAspectRatio="xMinYMid meet"
                  />
                </>
              )}
              <rect x="12" y="40" width="216" height="46" rx="5" fill={card} />
              <text x="22" y="67" font-size="11" fill={colors[scheme]} text-decoration="underline">
                View as table
              </text>
              <rect x="132" y="51" width="86" height="24" rx="3" fill={colors[scheme]} />
              <text
                x="175"
                y="67"
                font-size="11"
                text-anchor="middle"
                fill={scheme === "light" ? card : page}
              >
                Print
              </text>
            </svg>
            <figcaption class="small muted">
              {scheme === "light" ? "Light" : "Dark"}: {colors[scheme]}, contrast{" "}
              {brandContrastWording(contrast)}
              {contrast < LEAST_CONTRAST &&
                `, too low; ${readableBrandColorByRule(colors[scheme], scheme)} is enough`}
            </figcaption>
          </figure>
        );
      })}
    </div>
  );
}
