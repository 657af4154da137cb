import { hrefTo } from "../browser/browser-route.ts";

const PLACES: readonly (readonly [prefix: string, address: (id: string) => string])[] = [
  ["PARTNER_", (id) => hrefTo(["partners", id])],
  ["WH_", (id) => hrefTo(["deliveries", id])],
  ["C_", (id) => hrefTo(["components", id])],
  ["A_", (id) => hrefTo(["appliances", id])],
  ["P_", (id) => hrefTo(["properties", id])],
];

/** Renders an ID, as a link if the console has a page for its resource. */
function IdLink({ id }: { id: string }) {
  const address = PLACES.find(([prefix]) => id.startsWith(prefix))?.[1];
  return address ? (
    <a href={address(id)}>
      <code>{id}</code>
    </a>
  ) : (
    <code>{id}</code>
  );
}

const ID = /((?:PARTNER|C|A|P)_[0-9a-z]{26}|WH_\d{13}_[0-9a-z]{5})/g;

/** Renders a text with its IDs as links. */
export const ConsoleTextWithIdLinks = ({ text }: { text: string }) => (
  <>{text.split(ID).map((part, at) => (at % 2 === 1 ? <IdLink id={part} /> : part))}</>
);

const QUOTED_ID = /"((?:PARTNER|C|A|P)_[0-9a-z]{26})"/g;

/** Renders indented JSON with its IDs as links. */
export function ConsoleJsonWithIdLinks({ value }: { value: unknown }) {
  const parts = JSON.stringify(value, null, 2).split(QUOTED_ID);
  return (
    <pre tabIndex={0}>
      <code>
        {parts.map((part, at) =>
          at % 2 === 1 ? (
            <>
              "<IdLink id={part} />"
            </>
          ) : (
            part
          ),
        )}
      </code>
    </pre>
  );
}
