import { intrinsic } from "@ark/schema";
import type { type as anyType } from "arktype";
import { $arkTypeRegistry, InternalScope } from "arktype/internal/scope.js";

export type { ArkErrors, Type } from "arktype";

/*
 * arktype with the keywords that shapes are made of here, and no other. To make all of its own, down to
 * `string.semver`, takes each process that loads the package longer than whatever most commands do. A keyword that is
 * missing fails as its shape is made, at which time it is added here.
 */
const { boolean, integer, null: none, number, string, true: yes, undefined: absent, unknown } = intrinsic;
const keywords = InternalScope.module({
  ...{ boolean, string, unknown, null: none, true: yes, undefined: absent },
  number: InternalScope.module({ root: number, integer }, { name: "number" }),
} as never);
Object.assign($arkTypeRegistry.ambient, keywords);

const typeOf = (config: { jitless?: boolean } = {}) =>
  InternalScope.scope({}, config).type as unknown as typeof anyType;

/** As arktype's. Interpreted where the process has said so (`configure`). */
export const type = typeOf();

/** Compiled to code: for what is checked again and again. */
export const compiledType = typeOf({ jitless: false });

/** Never compiled: for what is checked once. */
export const interpretedType = typeOf({ jitless: true });
