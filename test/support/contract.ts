import Ajv, { type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { ApiDocument, DocumentedOperation, DocumentedResponse, Schema } from "./api-document.ts";
import { AT_ROOT_TOO, readApiDocument, resolve } from "./api-document.ts";
import type { Reply } from "./reply.ts";

const RATE_LIMIT_HEADERS = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

let contract: Contract | undefined;

/**
 * Checks an answer against the API document of the executable: the status is documented, the headers are there, and the
 * body has its shape and no other field. Skips what is not in the document, such as pages and administrators' routes.
 */
export function checkDocumented(method: string, path: string, reply: Reply): void {
  contract ??= new Contract(readApiDocument());
  contract.check(method, path, reply);
}

/** The document, with the validators that have been compiled for it. */
export class Contract {
  readonly #ajv = new Ajv({
    ...{ strict: false, allErrors: true },
    // The document is checked elsewhere, and optimizing a validator takes longer than the few bodies that most check.
    ...{ validateSchema: false, code: { optimize: false } },
  });
  readonly #routes: { pattern: RegExp; operations: Record<string, DocumentedOperation> }[];
  readonly #validators = new Map<Schema, ValidateFunction>();

  constructor(private readonly document: ApiDocument) {
    addFormats(this.#ajv);
    const schemas = Object.entries(document.components.schemas).map(([name, schema]) => [
      name,
      strict(schema),
    ]);
    this.#ajv.addSchema({ $id: "document", components: { schemas: Object.fromEntries(schemas) } });
    // A literal path precedes one with a parameter: /appliances/bulk is no appliance.
    const paths = Object.keys(document.paths).sort((a, b) => a.split("{").length - b.split("{").length);
    this.#routes = paths.map((path) => {
      const item = document.paths[path]!;
      const pattern = path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+");
      const v1 = AT_ROOT_TOO.includes(path) ? "(?:/v1)?" : "/v1";
      return { pattern: new RegExp(`^(?:/api)?${v1}${pattern}$`), operations: item };
    });
  }

  /** Throws an error that lists every difference between the answer and the document. */
  check(method: string, path: string, reply: Reply): void {
    const operation = this.#find(method, path);
    if (!operation) return;
    const what = `${operation.operationId} (${method} ${path}) answered ${reply.status}`;
    const documented = operation.responses[reply.status];
    if (!documented) throw new Error(`${what}, which the API document does not know: ${reply.text}`);
    const { headers = {}, content: main, "x-also": also } = resolve(this.document, documented);
    const content = main && { ...main, ...also };
    const faults = [
      ...this.#missingHeaders(operation, headers, reply),
      ...(method === "HEAD" ? [] : this.#bodyFaults(content, reply)),
    ];
    if (faults.length > 0)
      throw new Error(`${what} unlike the API document:\n  ${faults.join("\n  ")}\n${reply.text}`);
  }

  #find(method: string, path: string): DocumentedOperation | undefined {
    const [bare = ""] = path.split("?", 1);
    const verb = method === "HEAD" ? "get" : method.toLowerCase();
    return this.#routes.find(({ pattern }) => pattern.test(bare))?.operations[verb];
  }

  #missingHeaders(
    operation: DocumentedOperation,
    documented: NonNullable<DocumentedResponse["headers"]>,
    reply: Reply,
  ): string[] {
    const promised = Object.keys(documented).filter(
      (name) => resolve(this.document, documented[name]!).required || isOfCaller(operation, name, reply),
    );
    return promised.filter((name) => !reply.headers.has(name)).map((name) => `the header ${name} is missing`);
  }

  #bodyFaults(content: Record<string, { schema: Schema }> | undefined, reply: Reply): string[] {
    if (!content) return reply.text === "" ? [] : ["there is a body, and none is documented"];
    const given = (reply.headers.get("content-type") ?? "").split(";", 1)[0]!;
    const mediaType = Object.keys(content).find(
      (known) => known === given || (known.endsWith("/*") && given.startsWith(known.slice(0, -1))),
    );
    if (!mediaType) return [`the content type is ${given}, not ${Object.keys(content).join(" or ")}`];
    if (mediaType !== "application/json") return [];
    const validate = this.#validator(content[mediaType]!.schema);
    if (validate(reply.body)) return [];
    return validate.errors!.map(({ instancePath, message, params }) => {
      const { additionalProperty } = params as { additionalProperty?: string };
      return `${instancePath || "the body"} ${message}${additionalProperty ? `: ${additionalProperty}` : ""}`;
    });
  }

  #validator(schema: Schema): ValidateFunction {
    let validate = this.#validators.get(schema);
    if (!validate) {
      validate = this.#ajv.compile(strict(schema));
      this.#validators.set(schema, validate);
    }
    return validate;
  }
}

/**
 * Every response to a caller that is identified by a credential, and not rejected by its address, has its limits.
 */
function isOfCaller(operation: DocumentedOperation, header: string, { status, body }: Reply): boolean {
  if (!RATE_LIMIT_HEADERS.includes(header) || operation.security?.length === 0) return false;
  return status !== 401 && status < 500 && body?.error !== "Too many requests. Please slow down.";
}

/** The schema as JSON Schema, which has a type for null, with objects that hold nothing but what is documented. */
function strict(schema: Schema): object {
  if (schema.$ref) return { $ref: `document${schema.$ref}` };
  const { nullable, example: _, ...rest } = schema;
  const closed: Record<string, unknown> = { ...rest };
  if (schema.properties) {
    closed.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, strict(property)]),
    );
    closed.additionalProperties = false;
  }
  if (typeof schema.additionalProperties === "object")
    closed.additionalProperties = strict(schema.additionalProperties);
  if (schema.items) closed.items = strict(schema.items);
  for (const key of ["anyOf", "allOf"] as const) if (schema[key]) closed[key] = schema[key].map(strict);
  for (const [bound, flag] of BOUNDS)
    if (schema[flag]) {
      closed[flag] = schema[bound];
      delete closed[bound];
    }
  return nullable ? { anyOf: [closed, { type: "null" }] } : closed;
}

const BOUNDS = [
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
] as const;
