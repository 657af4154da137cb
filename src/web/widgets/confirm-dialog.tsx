import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { showToast } from "./toasts.tsx";

/** Renders a button that opens a dialog, which explains the action and asks to confirm it. */
export function ConfirmDialog(props: {
  /** The label of the button. */
  name: string;
  /** The label of the dialog's confirmation, if it is another. */
  confirmName?: string;
  title: string;
  /** Explains the effects. May contain form fields, whose values are passed to `onConfirm`. */
  children: ComponentChildren;
  /** Runs the action. Resolves to a text to keep the dialog open with that error, and to anything else to close it. */
  onConfirm: (form: FormData) => Promise<unknown>;
  isDestructive?: boolean;
  /** True for a button beside each row of a list. */
  isSmall?: boolean;
}) {
  const {
    name,
    confirmName = name,
    title,
    children,
    onConfirm,
    isDestructive = false,
    isSmall = false,
  } = props;
  const [isOpen, setOpen] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<string>();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // An effect would leave the page behind it to the keys before the next frame.
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    setError(undefined);
  };
  const confirm = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setRunning(true);
    const outcome = await onConfirm(form);
    setRunning(false);
    const failure = typeof outcome === "string" ? outcome : undefined;
    // The dialog may have been closed with a key meanwhile.
    if (failure !== undefined && !dialog.current)
      return showToast(`${title}: ${failure}`, { isFailure: true });
    setError(failure);
    if (failure === undefined) dialog.current?.close();
  };
  return (
    <>
      <button
        type="button"
        class={`outline${isDestructive ? " destructive" : ""}${isSmall ? " small-action" : ""}`}
        aria-label={isSmall ? title : undefined}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {name}
      </button>
      {isOpen && (
        <dialog ref={dialog} aria-labelledby={id} onClose={close}>
          <form class="card confirm" onSubmit={(event) => void confirm(event)}>
            <h2 id={id}>{title}</h2>
            {children}
            {error && <p role="alert">{error}</p>}
            <p class="choices">
              <button type="button" class="outline" onClick={() => dialog.current?.close()}>
                Cancel
              </button>
              <button
                type="submit"
                class={isDestructive ? "destructive" : undefined}
                aria-busy={isRunning}
                disabled={isRunning}
              >
                {confirmName}
              </button>
            </p>
          </form>
        </dialog>
      )}
    </>
  );
}
