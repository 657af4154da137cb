import { addressOf } from "../browser/place.ts";

const PLACES: readonly (readonly [prefix: string, address: (id: string) => string])[] = [
  ["PARTNER_", (id) => addressOf(["partners", id])],
  ["WH_", (id) => addressOf(["deliveries", id])],
  ["C_", (id) => addressOf(["components", id])],
  ["A_", (id) => addressOf(["components"], { of: id })],
  ["P_", (id) => addressOf(["components"], { of: id })],
];

/** An id as it is written; a link where the console has a page for what it names. */
export function IdLink({ id }: { id: string }) {
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

/** A text, with the ids in it as links. */
export const WithLinks = ({ text }: { text: string }) => (
  <>{text.split(ID).map((part, at) => (at % 2 === 1 ? <IdLink id={part} /> : part))}</>
);

const QUOTED_ID = /"((?:PARTNER|C|A|P)_[0-9a-z]{26})"/g;

/** JSON to be read, with the ids in it as links. */
export function Json({ value }: { value: unknown }) {
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
