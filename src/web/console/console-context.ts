import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { type LoadState, useLoad } from "../browser/use-load.ts";
import { showToast } from "../widgets/toasts.tsx";
import type { AdminClient } from "./console-admin-client.ts";
import { formatConsoleInstants } from "./console-server-text.tsx";

/** The state that the pages of a session share. */
type ConsoleState = { api: AdminClient; signOut: () => void };

export const ConsoleContext = createContext<ConsoleState | undefined>(undefined);
export const useConsole = () => useContext(ConsoleContext)!;

/** Sets the document's title. */
export function useConsoleTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Mainstay console`;
  }, [title]);
}

/**
 * Reads a path of the admin API, and again every `everyS` seconds while the page is visible. The value for the same subject,
 * which is the path unless another is given, stays until a new one is read.
 */
export function useAdminRead<T>(path: string, everyS?: number, subject = path): LoadState<T> {
  const { api } = useConsole();
  const loaded = useLoad(path, () => api.read<T>(path), subject);
  const { reload: again } = loaded;
  useEffect(() => {
    if (everyS === undefined) return;
    const timer = setInterval(() => document.visibilityState === "visible" && again(), everyS * 1000);
    return () => clearInterval(timer);
  }, [everyS, again]);
  return loaded;
}

/**
 * Runs one change at a time and shows its outcome as a toast. Resolves to the change's result, or to undefined if it
 * failed.
 */
export function useAdminAction() {
  const [isRunning, setRunning] = useState(false);
  async function run<T>(change: () => Promise<T>, successMessage?: string): Promise<T | undefined> {
    setRunning(true);
    try {
      const result = await change();
      if (successMessage !== undefined) showToast(successMessage);
      return result;
    } catch (thrown) {
      showToast(formatConsoleInstants(thrown instanceof Error ? thrown.message : String(thrown)), {
        isFailure: true,
      });
      return undefined;
    } finally {
      setRunning(false);
    }
  }
  return { isRunning, run };
}
