import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

/** A button for what should not happen by a slip: it says first what will be. */
export function ConfirmDialog(props: {
  /** The button, and what is confirmed. */
  name: string;
  title: string;
  /** What will be. May hold fields, which `onConfirm` is given. */
  children: ComponentChildren;
  /** Resolves when it is done; to what was wrong with what was given, and the question stays open. */
  onConfirm: (given: FormData) => Promise<unknown>;
  isGrave?: boolean;
}) {
  const { name, title, children, onConfirm, isGrave = false } = props;
  const [isOpen, setOpen] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  const confirm = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    setRunning(true);
    const outcome = await onConfirm(given);
    setRunning(false);
    setRefusal(typeof outcome === "string" ? outcome : undefined);
    if (typeof outcome !== "string") dialog.current?.close();
  };
  return (
    <>
      <button type="button" class={isGrave ? "outline grave" : "outline"} onClick={() => setOpen(true)}>
        {name}
      </button>
      {isOpen && (
        <dialog ref={dialog} aria-labelledby={id} onClose={() => setOpen(false)}>
          <form class="card ask" onSubmit={(event) => void confirm(event)}>
            <h2 id={id}>{title}</h2>
            {children}
            {refusal && <p role="alert">{refusal}</p>}
            <p class="choices">
              <button type="button" class="outline" onClick={() => dialog.current?.close()}>
                Cancel
              </button>
              <button
                type="submit"
                class={isGrave ? "grave" : undefined}
                aria-busy={isRunning}
                disabled={isRunning}
              >
                {name}
              </button>
            </p>
          </form>
        </dialog>
      )}
    </>
  );
}
