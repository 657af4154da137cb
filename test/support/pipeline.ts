import { Authenticator } from "../../src/http/authenticator.ts";
import { ConsoleSessions } from "../../src/http/http-console-session-cookies.ts";
import { DailyCallLimits } from "../../src/http/request-daily-call-limits.ts";
import { RequestPipeline } from "../../src/http/request-pipeline.ts";
import { RequestSlidingWindow } from "../../src/http/request-sliding-window.ts";
import { bearerTokenSecrets } from "../../src/secrets/bearer-tokens.ts";
import type { MasterKey } from "../../src/secrets/master-key.ts";
import { RevisionCaches } from "../../src/usecases/revision-caches/revision-caches.ts";
import type { PartnerFixture } from "./partner-store.ts";
import { knowledge } from "./portfolio-store.ts";

const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);

/**
 * Returns a pipeline on the database of a fixture. It has no rate limits, and accepts bodies of one byte, unless others are given. Its warnings and errors
 * go to `log`.
 */
export function pipelineOn(
  { store, administration, clock }: PartnerFixture,
  log: (fields: object, message: string) => void = () => {},
  { bodyBytes = 1, bodyValues = 1000 } = {},
): RequestPipeline {
  const { actor: _, ...parts } = administration;
  const budgets = new DailyCallLimits(store, clock);
  const tokens = bearerTokenSecrets(new Uint8Array(32) as MasterKey, random);
  return new RequestPipeline({
    store,
    knowledge,
    clock,
    perPartnerPerMinute: 0,
    bodyBytes,
    bodyValues,
    administration: parts,
    authenticator: new Authenticator(store, tokens, clock, budgets),
    consoleSessions: new ConsoleSessions(store, random, clock),
    budgets,
    caches: new RevisionCaches(1e6),
    partnerWindow: new RequestSlidingWindow(0),
    log: { info() {}, warn: log, error: log } as never,
  });
}
