import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

export type Credential = { name: string; value: string };

/** Shows new credentials with a button to copy each: the server does not show them again. */
export function ConsoleNewCredentials(props: {
  title: string;
  credentials: readonly Credential[];
  /** More about them, below. */
  children?: ComponentChildren;
  onDone: () => void;
}) {
  const { title, credentials, children, onDone } = props;
  const id = useId();
  return (
    <section class="card credentials" role="alert" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p>
        <strong>Copy these now.</strong> They will not be shown again. Share them over a secure channel.
      </p>
      <dl>
        {credentials.map((credential) => (
          <CopyableCredential {...credential} />
        ))}
      </dl>
      {children}
      <p>
        <button type="button" onClick={onDone}>
          I have saved these
        </button>
      </p>
    </section>
  );
}

function CopyableCredential({ name, value }: Credential) {
  const [outcome, setOutcome] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setOutcome("Copied");
    } catch {
      setOutcome("Select and copy the text manually.");
    }
  };
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{value}</code>
        <button type="button" class="outline" aria-label={`Copy ${name}`} onClick={() => void copy()}>
          Copy
        </button>
        <span class="small muted" role="status">
          {outcome}
        </span>
      </dd>
    </div>
  );
}
