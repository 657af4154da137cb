import type { RateWindow } from "../cluster/distributed-address-rate-window.ts";
import type { Embed } from "../domain/embed.ts";
import type { Instant } from "../domain/time.ts";
import { createPasscodeViewerPass, passcodeMatchesHash } from "../secrets/passcode.ts";
import { secretsEqual } from "../secrets/secret-hash.ts";
import { httpRateLimitKeyOfAddress } from "./request-sliding-window.ts";

/** How long a viewer who has entered the passcode is not asked again. */
const LIFETIME_S = 12 * 3600;

/** The outcome of an attempt: the cookie of a viewer whose passcode is right, or how long to wait after too many. */
type PasscodeAttempt = { cookie: string } | { waitMs: number } | "wrong";

type Protected = { id: string; passcodeHash: string };

type GateDeps = {
  /** Limits the attempts of an address on an embed. */
  byAddress: RateWindow;
  /** Limits the attempts of all addresses on an embed. */
  byEmbed: RateWindow;
  monotonicMs: () => number;
  /** True if browsers reach this server by HTTPS. */
  isSecure: boolean;
  /** The sites that may show the pages in a frame, as Content-Security-Policy sources. */
  frameAncestors: readonly string[];
};

/** Admits the viewers of an embed who have entered its passcode. A cookie of that embed's pages then stands for it. */
export class EmbedPasscodeGate {
  constructor(private readonly deps: GateDeps) {}

  /** Returns whether the embed needs no passcode, or the request's cookie shows that it was entered. */
  isOpenTo(
    request: Request,
    { id, passcodeHash }: Pick<Embed, "id" | "passcodeHash">,
    now: Instant,
  ): boolean {
    if (passcodeHash === null) return true;
    const name = `${cookieName(id)}=`;
    return (request.headers.get("cookie") ?? "")
      .split(/;\s*/)
      .some(
        (cookie) => cookie.startsWith(name) && isPass(cookie.slice(name.length), { id, passcodeHash }, now),
      );
  }

  /** Checks a passcode. Attempts above a limit are refused unchecked, right or wrong. */
  async attempt(
    { request, address, now }: { request: Request; address: string; now: Instant },
    { id, passcodeHash }: Protected,
    given: string,
  ): Promise<PasscodeAttempt> {
    const { byAddress, byEmbed, monotonicMs } = this.deps;
    const waitMs =
      (await byAddress.admit(`${id} ${httpRateLimitKeyOfAddress(address)}`, monotonicMs())) ??
      (await byEmbed.admit(id, monotonicMs()));
    if (waitMs !== undefined) return { waitMs };
    if (!(await passcodeMatchesHash(given, passcodeHash))) return "wrong";
    const expiresAt = now + LIFETIME_S * 1000;
    const pass = `${expiresAt}.${createPasscodeViewerPass({ subject: id, expiresAt, passcodeHash })}`;
    return { cookie: `${cookieName(id)}=${pass}; ${this.#attributes(new URL(request.url).pathname)}` };
  }

  /** Browsers send cookies of a page in another site's frame only with `SameSite=None`, which requires HTTPS. */
  #attributes(path: string): string {
    const { isSecure, frameAncestors } = this.deps;
    const isFramedElsewhere = frameAncestors.some((site) => site !== "'self'" && site !== "'none'");
    const site = isSecure && isFramedElsewhere ? "SameSite=None; Partitioned" : "SameSite=Lax";
    return `Path=${path}; HttpOnly; ${site}${isSecure ? "; Secure" : ""}; Max-Age=${LIFETIME_S}`;
  }
}

const cookieName = (embedId: string) => `mainstay_${embedId}`;

/** Returns whether a cookie's value is a pass that has not expired. */
function isPass(value: string, { id, passcodeHash }: Protected, now: Instant): boolean {
  const [, digits, pass] = /^(\d{1,15})\.([\da-f]{64})$/.exec(value) ?? [];
  if (digits === undefined || pass === undefined) return false;
  const expiresAt = Number(digits);
  return (
    expiresAt > now && secretsEqual(pass, createPasscodeViewerPass({ subject: id, expiresAt, passcodeHash }))
  );
}
