import { useId, useState } from "preact/hooks";

export type Credential = { name: string; value: string };

/** Credentials that the server has just made: they can be copied now, and never read again. */
export function Credentials(props: {
  title: string;
  credentials: readonly Credential[];
  onDone: () => void;
}) {
  const { title, credentials, onDone } = props;
  const id = useId();
  return (
    <section class="card credentials" role="alert" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p>
        <strong>These are shown this once.</strong> Hand them over by a safe way; what is lost can only be
        replaced.
      </p>
      <dl>
        {credentials.map((one) => (
          <Copied {...one} />
        ))}
      </dl>
      <p>
        <button type="button" onClick={onDone}>
          I have kept them
        </button>
      </p>
    </section>
  );
}

function Copied({ name, value }: Credential) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setSaid("Copied");
    } catch {
      setSaid("Select it and copy it by hand: the browser allows no more here.");
    }
  };
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{value}</code>
        <button type="button" class="outline" aria-label={`Copy the ${name}`} onClick={() => void copy()}>
          Copy
        </button>
        <span class="small mute" role="status">
          {said}
        </span>
      </dd>
    </div>
  );
}
