import { intrinsic } from "@ark/schema";
import type { type as anyType } from "arktype";
import { $arkTypeRegistry, InternalScope } from "arktype/internal/scope.js";

export type { ArkErrors, Type } from "arktype";

/*
 * arktype with only the keywords that Mainstay uses. Its public entry point creates all of its keywords, down to
 * `string.semver`, which adds 60 to 70 ms of processor time to the first validation. A type that uses a missing keyword
 * fails when it is created; add the keyword here.
 */
const { boolean, integer, null: none, number, string, true: yes, undefined: absent, unknown } = intrinsic;
const keywords = InternalScope.module({
  boolean,
  string,
  unknown,
  null: none,
  true: yes,
  undefined: absent,
  number: InternalScope.module({ root: number, integer }, { name: "number" }),
} as never);
Object.assign($arkTypeRegistry.ambient, keywords);

const typeOf = (config: { jitless?: boolean } = {}) =>
  InternalScope.scope({}, config).type as unknown as typeof anyType;

/** The `type` of arktype, compiled or interpreted as the process has configured it. */
export const type = typeOf();

/** Creates a type that is compiled to code, for values that are validated often. */
export const compiledType = typeOf({ jitless: false });

/** Creates a type that is never compiled, for values that are validated once. */
export const interpretedType = typeOf({ jitless: true });
