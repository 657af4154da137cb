import type { ApiDocument, DocumentedOperation, DocumentedResponse, Schema } from "./api-document.ts";
import { AT_ROOT_TOO, readApiDocument, resolve } from "./api-document.ts";
import type { Reply } from "./reply.ts";
import { schemaFaults } from "./schema-faults.ts";

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

/** The document, with the patterns of its paths. */
export class Contract {
  readonly #routes: { pattern: RegExp; operations: Record<string, DocumentedOperation> }[];

  constructor(private readonly document: ApiDocument) {
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
    return schemaFaults(this.document, content[mediaType]!.schema, reply.body);
  }
}

/**
 * Every response to a caller that is identified by a credential, and not rejected by its address, has its limits.
 */
function isOfCaller(operation: DocumentedOperation, header: string, { status, body }: Reply): boolean {
  if (!RATE_LIMIT_HEADERS.includes(header) || operation.security?.length === 0) return false;
  return status !== 401 && status < 500 && body?.error !== "Too many requests. Please slow down.";
}
