import type { RenderedPage } from "../page/page-document.tsx";
import { docsCurlCommand } from "./docs-curl-command.ts";
import {
  type DocsApiDocument,
  type DocumentedOperation,
  type DocumentedParameter,
  type DocumentedSchema,
  type Response,
  resolveDocsReference,
} from "./docs-document-types.ts";
import { codeBlock, renderDocsDescription } from "./docs-markdown.ts";
import { type DocsFiles, renderDocsPage } from "./docs-page.tsx";
import { DocsSchemaFields, DocsSchemaType } from "./docs-schema-fields.tsx";

type Entry = { method: string; path: string; operation: DocumentedOperation };

/** Renders the reference of the API: every operation, webhook event and schema of its document. */
export function renderDocsReference(document: DocsApiDocument, files: DocsFiles): RenderedPage {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const schemas = Object.entries(document.components.schemas);
  return renderDocsPage({
    title: "API reference",
    current: "reference",
    root: "",
    files,
    contents: [
      ...groups.map(({ name, entries }) => ({
        name,
        links: entries.map(({ operation }) => ({
          href: `#${operation.operationId}`,
          html: Bun.escapeHTML(operation.summary),
        })),
      })),
      {
        name: "Webhooks",
        links: Object.keys(document["x-webhooks"]).map((event) => ({
          href: `#webhook-${event}`,
          html: event,
        })),
      },
      { name: "Schemas", links: [{ href: "#schemas", html: `All ${schemas.length} schemas` }] },
    ],
    children: (
      <>
        <h1>API reference</h1>
        <Html text={document.info.description} />
        <p>
          Send every request with the header <code>X-Api-Key</code>, or with a bearer token. Start with{" "}
          <a href="docs/guide">the guide</a>. In the examples, <code>$MAINSTAY</code> is the address of this
          server.
        </p>
        {groups.map(({ name, description, entries }) => (
          <section key={name} class="group">
            <h2>{name}</h2>
            <Html text={description} />
            {entries.map((entry) => (
              <OperationSection key={entry.operation.operationId} document={document} {...entry} />
            ))}
          </section>
        ))}
        <Webhooks document={document} />
        <section class="group" id="schemas">
          <h2>Schemas</h2>
          {schemas.map(([name, schema]) => (
            <section key={name} id={`schema-${name}`} class="schema">
              <h3>{name}</h3>
              {schema.description && <Html text={schema.description} />}
              {!schema.properties && (
                <p>
                  <SchemaType schema={schema} />
                </p>
              )}
              <DocsSchemaFields schema={schema} caption={`Fields of ${name}`} />
            </section>
          ))}
        </section>
      </>
    ),
  });
}

function OperationSection({ document, method, path, operation }: Entry & { document: DocsApiDocument }) {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    resolveDocsReference<DocumentedParameter>(document, parameter),
  );
  const responses = Object.entries(operation.responses).map(
    ([status, one]) => [status, resolveDocsReference<Response>(document, one)] as const,
  );
  const successes = responses.filter(([status]) => Number(status) < 400);
  const errors = responses.filter(([status]) => Number(status) >= 400);
  const { operationId, summary, description, requestBody } = operation;
  const query: DocumentedSchema = {
    type: "object",
    properties: Object.fromEntries(
      parameters.map(({ name, schema, description }) => [name, { ...schema, description }]),
    ),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
  return (
    <section class="operation" id={operationId}>
      <h3>
        <a href={`#${operationId}`}>{summary}</a>
      </h3>
      <p class="address">
        <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>/v1{path}</code>
      </p>
      <Html text={description} />
      {operation.security?.length === 0 && <p class="muted">Needs no credentials.</p>}
      {parameters.length > 0 && (
        <>
          <h4>Parameters</h4>
          <DocsSchemaFields schema={query} caption={`Parameters of: ${summary}`} />
        </>
      )}
      {requestBody && (
        <Contents document={document} title="Request" content={requestBody.content} of={summary} />
      )}
      <Code text={docsCurlCommand(method, path, operation, parameters)} />
      {successes.map(([status, { description, content }]) => (
        <Contents
          key={status}
          document={document}
          title={`Response ${status}`}
          about={description}
          content={content ?? {}}
          of={summary}
        />
      ))}
      <details>
        <summary>Errors: {errors.map(([status]) => status).join(", ")}</summary>
        <ul>
          {errors.map(([status, { description }]) => (
            <li key={status}>
              <code>{status}</code> {description}
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}

/** A request or response: its fields, and an example behind a disclosure. */
function Contents(props: {
  document: DocsApiDocument;
  title: string;
  about?: string;
  content: NonNullable<Response["content"]>;
  of: string;
}) {
  const { document, title, about, content, of } = props;
  return (
    <>
      <h4>
        {title}
        {about !== undefined && <span class="muted"> {about}</span>}
      </h4>
      {Object.entries(content).map(([mediaType, { schema, example }]) => {
        const fields = resolveDocsReference<DocumentedSchema>(
          document,
          schema as DocumentedSchema & { $ref: string },
        );
        return (
          <div key={mediaType} class="content">
            <p class="small muted">
              <code>{mediaType}</code>
              {fields.properties ? "" : ": "}
              {!fields.properties && <DocsSchemaType schema={schema} />}
            </p>
            <DocsSchemaFields schema={fields} caption={`${title} of: ${of}`} />
            {example !== undefined && (
              <details>
                <summary>Example</summary>
                <Code text={typeof example === "string" ? example : JSON.stringify(example, null, 2)} />
              </details>
            )}
          </div>
        );
      })}
    </>
  );
}

function Webhooks({ document }: { document: DocsApiDocument }) {
  return (
    <section class="group" id="webhooks">
      <h2>Webhooks</h2>
      <p>
        Requests to your endpoint. <a href="docs/guide#webhook-events">The guide</a> has the fields of each,
        and programs that verify signatures.
      </p>
      {Object.entries(document["x-webhooks"]).map(([event, { post }]) => (
        <details key={event} id={`webhook-${event}`}>
          <summary>
            <code>{event}</code> {post.summary}
          </summary>
          <Code text={JSON.stringify(post.requestBody.content["application/json"]!.example, null, 2)} />
        </details>
      ))}
    </section>
  );
}

const SchemaType = ({ schema }: { schema: DocumentedSchema }) => (
  <>
    <DocsSchemaType schema={{ ...schema }} />
    {schema.enum && (
      <>
        : <code>{schema.enum.join(", ")}</code>
      </>
    )}
  </>
);

const Html = ({ text }: { text: string }) => (
  <div dangerouslySetInnerHTML={{ __html: renderDocsDescription(text) }} />
);
const Code = ({ text }: { text: string }) => <div dangerouslySetInnerHTML={{ __html: codeBlock(text) }} />;
