import { Failure, OperatorError } from "../../src/domain/errors.ts";
import { KnowledgeError } from "../../src/knowledge/check-knowledge.ts";
import type { Target } from "./target.ts";

/** The processor time that an input of a few kilobytes may take. */
export const MOST_MS = 1_000;
/** A longer message would repeat the input. */
const LONGEST_MESSAGE = 20_000;

export type Attempt = {
  /** A word for the way in which the parser accepted or refused the input; equal for inputs that differ in detail. */
  outcome: string;
  /** The violation; undefined if there is none. */
  finding: string | undefined;
};

/** Gives an input to the parser. Anything but an answer or a refusal with a message is a finding. */
export async function attempt({ parse }: Target, input: Buffer, mostMs = MOST_MS): Promise<Attempt> {
  const before = process.cpuUsage();
  const judged = await judge(parse, input);
  const { user, system } = process.cpuUsage(before);
  const tookMs = (user + system) / 1000;
  if (tookMs > mostMs) return { ...judged, finding: `took ${Math.round(tookMs)} ms of processor time` };
  return judged;
}

async function judge(parse: Target["parse"], input: Buffer): Promise<Attempt> {
  try {
    const answer = await parse(input);
    return { outcome: `accepted ${answer ?? ""}`, finding: undefined };
  } catch (error) {
    const { name, message } = error as Error;
    const outcome = `${name}: ${withoutDetail(String(message))}`;
    if (!isRefusal(error)) return { outcome, finding: (error as Error)?.stack ?? String(error) };
    if (!/\S/.test(message)) return { outcome, finding: "the refusal has no message" };
    if (message.length > LONGEST_MESSAGE)
      return { outcome, finding: `the refusal has a message of ${message.length} characters` };
    return { outcome, finding: undefined };
  }
}

const isRefusal = (error: unknown): error is Error =>
  error instanceof Failure || error instanceof OperatorError || error instanceof KnowledgeError;

/** The beginning of a message that is looked at: it may repeat an input whose words have no end. */
const LOOKED_AT = 1_000;

/** Leaves the words of a message that the input does not determine. */
const withoutDetail = (message: string) =>
  message
    .slice(0, LOOKED_AT)
    .split("\n", 1)[0]!
    .replaceAll(/\S*\/\S*|"[^"]*"|'[^']*'|`[^`]*`|\S*\d\S*|[^\x20-\x7e]+/g, "_")
    .slice(0, 60);
