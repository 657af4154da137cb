import type { DocumentedOperation, DocumentedParameter } from "./docs-document-types.ts";

/** Returns the curl command of a request with the document's examples. `$MAINSTAY` is the server's address. */
export function docsCurlCommand(
  method: string,
  path: string,
  operation: DocumentedOperation,
  parameters: readonly DocumentedParameter[],
) {
  const filled = path.replace(/\{(\w+)\}/g, (place, name) => {
    const example = parameters.find(
      (parameter) => parameter.in === "path" && parameter.name === name,
    )?.example;
    return example === undefined ? place : encodeURIComponent(String(example));
  });
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}"$MAINSTAY/v1${filled}"`];
  if (operation.security === undefined) lines.push('-H "X-Api-Key: $API_KEY"');
  const content = operation.requestBody?.content ?? {};
  const [mediaType] = Object.keys(content);
  if (mediaType !== undefined) {
    lines.push(`-H "Content-Type: ${mediaType}"`);
    const { example } = content[mediaType]!;
    if (example !== undefined && mediaType === "application/json")
      lines.push(`-d ${quoted(JSON.stringify(example, null, 2))}`);
  }
  return lines.join(" \\\n  ");
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
