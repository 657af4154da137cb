import type { ComponentChildren } from "preact";
import { type DocumentedSchema, docsSchemaNameOf } from "./docs-document-types.ts";
import { renderDocsDescription } from "./docs-markdown.ts";

/** The most levels of fields that are shown in one table; a named schema is a link at any level. */
const DEEPEST = 4;

type Field = { name: string; schema: DocumentedSchema; isRequired: boolean };

/** The fields of a schema, those of objects within under their path: `items[].id`. */
export function DocsSchemaFields({ schema, caption }: { schema: DocumentedSchema; caption: string }) {
  const fields = fieldsOf(schema, "", DEEPEST);
  if (fields.length === 0) return null;
  return (
    <div class="table" tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Type</th>
            <th scope="col">Description</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ name, schema, isRequired }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
                {isRequired && <span class="required">required</span>}
              </th>
              <td>
                <DocsSchemaType schema={schema} />
              </td>
              <td>
                <Description schema={schema} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function fieldsOf(schema: DocumentedSchema, prefix: string, levels: number): Field[] {
  if (levels === 0 || (prefix !== "" && docsSchemaNameOf(schema) !== undefined)) return [];
  if (schema.type === "array" && schema.items) return fieldsOf(schema.items, `${prefix}[]`, levels);
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    const isRequired = schema.required?.includes(key) ?? false;
    return [{ name, schema: field, isRequired }, ...fieldsOf(field, name, levels - 1)];
  });
}

/** The type of a schema, with a link to one that has a name. */
export function DocsSchemaType({ schema }: { schema: DocumentedSchema }): ComponentChildren {
  const name = docsSchemaNameOf(schema);
  const orNull = schema.nullable ? " or null" : "";
  if (name !== undefined)
    return (
      <>
        <a href={`#schema-${name}`}>{name}</a>
        {orNull}
      </>
    );
  if (schema.anyOf)
    return schema.anyOf.map((branch, i) => (
      <>
        {i > 0 && " or "}
        <DocsSchemaType schema={branch} />
      </>
    ));
  if (schema.type === "array" && schema.items)
    return (
      <>
        list of <DocsSchemaType schema={schema.items} />
        {orNull}
      </>
    );
  return `${schema.format ?? schema.type ?? "any"}${orNull}`;
}

function Description({ schema }: { schema: DocumentedSchema }) {
  const bounds = boundsOf(schema);
  return (
    <>
      {schema.description && (
        <span dangerouslySetInnerHTML={{ __html: inline(renderDocsDescription(schema.description)) }} />
      )}
      {schema.enum && (
        <span class="values">
          One of{" "}
          {schema.enum.map((value, i) => (
            <>
              {i > 0 && ", "}
              <code>{String(value)}</code>
            </>
          ))}
        </span>
      )}
      {bounds && <span class="values">{bounds}</span>}
    </>
  );
}

/** Returns the limits of a value in words; empty without any. */
function boundsOf({ minimum, maximum, minLength, maxLength, maxItems }: DocumentedSchema): string {
  const texts = [
    range(minimum, maximum, ""),
    minLength !== undefined || maxLength !== undefined
      ? range(minLength === 0 ? undefined : minLength, maxLength, " characters")
      : "",
    range(undefined, maxItems, " items"),
  ];
  return texts.filter((text) => text !== "").join(", ");
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  // Years have four digits, and no separator.
  const text = (value: number) => value.toLocaleString("en-US", { useGrouping: "min2" });
  if (from !== undefined && to !== undefined) return `${text(from)} to ${text(to)}${unit}`;
  if (from !== undefined) return `At least ${text(from)}${unit}`;
  return to === undefined ? "" : `At most ${text(to)}${unit}`;
}

/** Returns a paragraph's content, for use in a cell. */
const inline = (html: string) => html.trim().replace(/^<p>([\s\S]*)<\/p>$/, "$1");
