import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "./json.ts";
import type { Installation } from "./mainstay.ts";

/** The databases that releases have left behind; see the README there. */
export const RELEASED_DATABASES = join(import.meta.dir, "../fixtures/databases");
const PICTURE = Buffer.from("89504e470d0a1a0a", "hex");

/** Copies a release's data folder into an installation that has none yet. */
export function leftBy(release: string, left: Installation): { left: Installation; about: Json } {
  const about = JSON.parse(readFileSync(join(RELEASED_DATABASES, `${release}.json`), "utf8"));
  mkdirSync(join(left.dataDir, "uploads"), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(left.dataDir, "mainstay.db"),
    Bun.gunzipSync(readFileSync(join(RELEASED_DATABASES, `${release}.db.gz`))),
  );
  writeFileSync(join(left.dataDir, "mainstay.key"), `${about.key}\n`, { mode: 0o600 });
  writeFileSync(join(left.dataDir, "uploads", about.upload), PICTURE);
  return { left, about };
}
