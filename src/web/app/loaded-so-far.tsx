import { count, counted } from "../format.ts";
import { useApp, useWatched } from "./app-context.ts";
import { PACE_MS, PAGE } from "./portfolio-loader.ts";

/** How much of the portfolio is here, and what the rest would cost. Shown where figures are made of what is here. */
export function LoadedSoFar() {
  const { portfolio } = useApp();
  useWatched(portfolio);
  const { loaded, total = 0, isLoading, failure } = portfolio.state;
  const left = total - loaded.length;
  if (left <= 0) return <p class="mute">{counted(total, "property", "properties")}, all loaded</p>;
  const calls = Math.ceil(left / PAGE);
  const minutes = Math.max(1, Math.round((calls * PACE_MS) / 60_000));
  return (
    <div class="so-far">
      <p class="mute" role="status">
        {count(loaded.length)} of {count(total)} properties loaded
        {isLoading ? "…" : "; search, filters and order look through these."}
        {failure && ` ${failure.message}`}
      </p>
      <progress value={loaded.length} max={total} aria-label="Properties loaded" />
      {isLoading ? (
        <button type="button" class="outline" onClick={() => portfolio.stop()}>
          Stop
        </button>
      ) : (
        <button type="button" class="outline" onClick={() => void portfolio.loadRest()}>
          Load the rest: {counted(calls, "call")}, about {counted(minutes, "minute")}
        </button>
      )}
    </div>
  );
}
