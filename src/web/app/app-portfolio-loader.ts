import type { PortfolioPageJson, PortfolioTotalsJson } from "../../api-schemas/portfolio-schema.ts";
import type { ApiClient } from "../browser/browser-api-client.ts";
import { ApiFailure } from "../browser/browser-api-failure.ts";
import { type SearchableProperty, toAppSearchableProperty } from "./app-property-list.ts";

/** The largest page of the API. */
export const PAGE_SIZE = 200;
/** The number of pages loaded without asking; further ones cost calls that the reader must agree to. */
const INITIAL_PAGES = 5;
/** The time between further calls, to leave some of the rate limit to the partner's own programs. */
export const PAGE_INTERVAL_MS = 1500;

export const portfolioPath = (offset: number, includesDemo = false) =>
  `/v1/portfolio/summary?limit=${PAGE_SIZE}&offset=${offset}${includesDemo ? "&include_demo=true" : ""}`;

type PortfolioState = {
  loaded: readonly SearchableProperty[];
  /** The number of properties; undefined until the first page is loaded. */
  total?: number;
  totals?: PortfolioTotalsJson;
  /** True if the totals are the demo property's, since there are no other properties. */
  includesDemo?: boolean;
  isLoading: boolean;
  failure?: ApiFailure;
};

/** Loads the portfolio page by page, and notifies listeners of progress. One per session. */
export class AppPortfolioLoader {
  state: PortfolioState = { loaded: [], isLoading: false };
  readonly #listeners = new Set<() => void>();
  #isStopped = false;

  constructor(private readonly api: ApiClient) {}

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Loads the first pages, unless they are loaded. */
  async start(): Promise<void> {
    if (this.state.isLoading || this.state.loaded.length > 0) return;
    await this.#load(INITIAL_PAGES, 0);
  }

  /** Loads all further pages, paced. */
  async loadRest(): Promise<void> {
    if (!this.state.isLoading) await this.#load(Number.POSITIVE_INFINITY, PAGE_INTERVAL_MS);
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Discards what is loaded, and loads it again. */
  async reload(): Promise<void> {
    if (this.state.isLoading) return;
    this.#set({ loaded: [], isLoading: false });
    await this.start();
  }

  async #load(pages: number, paceMs: number): Promise<void> {
    this.#isStopped = false;
    const { failure: _, ...before } = this.state;
    this.#set({ ...before, isLoading: true });
    try {
      for (let page = 0; page < pages && !this.#isStopped; page++) {
        if (page > 0) await new Promise((resolve) => setTimeout(resolve, paceMs));
        const offset = this.state.loaded.length;
        let { includesDemo = false } = this.state;
        const read = () => this.api.read<PortfolioPageJson>(portfolioPath(offset, includesDemo));
        let answer = await read();
        if (!includesDemo && answer.total > 0 && answer.totals.properties === 0) {
          includesDemo = true;
          answer = await read();
        }
        const { portfolio, total, totals } = answer;
        const loaded = [...this.state.loaded, ...portfolio.map(toAppSearchableProperty)];
        this.#set({ loaded, total, totals, includesDemo, isLoading: true });
        if (portfolio.length === 0 || loaded.length >= total) break;
      }
      this.#set({ ...this.state, isLoading: false });
    } catch (thrown) {
      if (!(thrown instanceof ApiFailure)) throw thrown;
      this.#set({ ...this.state, isLoading: false, failure: thrown });
    }
  }

  #set(state: PortfolioState): void {
    this.state = state;
    for (const listener of this.#listeners) listener();
  }
}
