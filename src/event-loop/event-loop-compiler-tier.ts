import { noFTL } from "bun:jsc";

/** Exported values by name, of any kind. */
type Module = Readonly<Record<string, unknown>>;

/**
 * Keeps the exported functions of modules, and the public methods of exported classes, from the last tier of the just-in-time
 * compiler, wherever they are called.
 */
export function keepEventLoopFromLastCompilerTier(modules: readonly Module[]): void {
  for (const exported of modules)
    for (const value of Object.values(exported)) {
      exclude(value);
      if (!isClass(value)) continue;
      for (const method of Object.values(Object.getOwnPropertyDescriptors(value.prototype))) {
        exclude(method.value);
        exclude(method.get);
      }
    }
}

function exclude(value: unknown): void {
  if (typeof value === "function") noFTL(value as (...given: unknown[]) => unknown);
}

/** Returns whether a value is a class: only classes have a prototype that cannot be replaced. */
const isClass = (value: unknown): value is { prototype: object } =>
  typeof value === "function" && Object.getOwnPropertyDescriptor(value, "prototype")?.writable === false;
