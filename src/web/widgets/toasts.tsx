import { useLayoutEffect, useState } from "preact/hooks";

type Toast = { id: number; message: string; isFailure: boolean };

const SHOWN_MS = 6000;
let lastId = 0;
let shown: readonly Toast[] = [];
const listeners = new Set<() => void>();

function setToasts(toasts: readonly Toast[]): void {
  shown = toasts;
  for (const listener of listeners) listener();
}

/** Shows a notice for a few seconds; a failure stays until it is closed. */
export function showToast(message: string, { isFailure = false } = {}): void {
  const id = ++lastId;
  setToasts([...shown, { id, message, isFailure }]);
  if (!isFailure) setTimeout(() => dismiss(id), SHOWN_MS);
}

const dismiss = (id: number) => setToasts(shown.filter((toast) => toast.id !== id));

/** The area in which toasts appear, once per page. */
export function Toasts() {
  const [, setVersion] = useState(0);
  useLayoutEffect(() => {
    const listener = () => setVersion((version) => version + 1);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return (
    <div class="toasts" role="status">
      {shown.map(({ id, message, isFailure }) => (
        <p key={id} class={isFailure ? "toast failure" : "toast"}>
          <span>{message}</span>
          <button type="button" class="plain" onClick={() => dismiss(id)}>
            Close
          </button>
        </p>
      ))}
    </div>
  );
}
