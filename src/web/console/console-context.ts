import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { type Loaded, useLoaded } from "../browser/loaded.ts";
import { toast } from "../browser/toasts.tsx";
import type { AdminClient } from "./admin-client.ts";
import { formatInstants } from "./server-text.tsx";

/** What the pages of a session share. */
export type ConsoleState = { api: AdminClient; signOut: () => void };

export const ConsoleContext = createContext<ConsoleState | undefined>(undefined);
export const useConsole = () => useContext(ConsoleContext)!;

/** The title of the page in the browser's own list of pages. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Mainstay console`;
  }, [title]);
}

/** What stands at an address of the administrators' operations; read anew every so many seconds while it is seen. */
export function useRead<T>(path: string, everyS?: number): Loaded<T> {
  const { api } = useConsole();
  const loaded = useLoaded(path, () => api.read<T>(path));
  const { again } = loaded;
  useEffect(() => {
    if (everyS === undefined) return;
    const timer = setInterval(() => document.visibilityState === "visible" && again(), everyS * 1000);
    return () => clearInterval(timer);
  }, [everyS, again]);
  return loaded;
}

/** Runs one change at a time, and says in passing what became of it. Resolves to its answer; undefined when it failed. */
export function useAction() {
  const [isRunning, setRunning] = useState(false);
  async function run<T>(change: () => Promise<T>, said?: string): Promise<T | undefined> {
    setRunning(true);
    try {
      const answer = await change();
      if (said !== undefined) toast(said);
      return answer;
    } catch (thrown) {
      toast(formatInstants(thrown instanceof Error ? thrown.message : String(thrown)), { isFailure: true });
      return undefined;
    } finally {
      setRunning(false);
    }
  }
  return { isRunning, run };
}
