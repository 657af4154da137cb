import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plugin } from "bun";
import { apiDocumentText } from "./api-document.ts";

const ROOT = join(import.meta.dir, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

/** The compiler options of a strict partner project. */
const CONFIG = {
  compilerOptions: {
    target: "ESNext",
    module: "ESNext",
    moduleResolution: "bundler",
    lib: ["ESNext", "DOM"],
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    noImplicitReturns: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
  },
  include: ["*.ts"],
};

/** Generates a client's types from the API document. */
export async function generateApiTypes(): Promise<string> {
  // The generator writes with the compiler's own interface, which TypeScript 7 no longer has.
  plugin({
    name: "the compiler that the generator knows",
    setup(build) {
      build.module("typescript", async () => ({ exports: await import("typescript-5"), loader: "object" }));
    },
  });
  const { default: generate, astToString } = await import("openapi-typescript");
  const { factory } = (await import("typescript-5")).default;
  const types = await generate(apiDocumentText(), {
    // Maps pictures to blobs, as the generator's manual recommends.
    transform: ({ format }) =>
      format === "binary" ? factory.createTypeReferenceNode(factory.createIdentifier("Blob")) : undefined,
  });
  return astToString(types);
}

/** Creates a folder that resolves this project's packages, where no other tool looks. */
export function makeProject(files: Readonly<Record<string, string>>): { folder: string; remove: () => void } {
  const parent = join(ROOT, "node_modules/.cache");
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "mainstay-"));
  const all = { ...files, "tsconfig.json": JSON.stringify(CONFIG) };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Compiles the folder's files; returns the compiler's messages by file. */
export async function typeErrors(folder: string): Promise<Record<string, string[]>> {
  const run = Bun.spawn([process.execPath, TSC, "--project", folder, "--pretty", "false"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ]);
  const errors: Record<string, string[]> = {};
  for (const [, file, message] of stdout.matchAll(/^(\S+?)\(\d+,\d+\): error (.+)$/gm)) {
    errors[file!] ??= [];
    errors[file!]!.push(message!);
  }
  if ((code === 0) !== (Object.keys(errors).length === 0))
    throw new Error(`the compiler exited with ${code}:\n${stdout}${stderr}`);
  return errors;
}
