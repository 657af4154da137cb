import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

/** Shows a dialog to read, until it is closed. */
export function Dialog(props: { title: string; children: ComponentChildren; onClose: () => void }) {
  const { title, children, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <div class="card confirm">
        <h2 id={id}>{title}</h2>
        {children}
        <p class="choices">
          <button type="button" class="outline" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </p>
      </div>
    </dialog>
  );
}
