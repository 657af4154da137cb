/*
 * Charts answer: the value nearest to the pointer, the finger or the focus is shown with a line through the chart, arrow keys
 * move between values, and a click or Enter opens the list that makes the value, where there is one.
 */

type Point = readonly [x: number, text: string, href?: string | null];

const CHART = "[data-points]";
/** The part of a chart that has the focus. */
const CURSOR = "[role=slider]";
/** The value that each chart shows or has shown last. */
const shown = new WeakMap<Element, number>();

/** Makes all charts of the page answer, also those that are rendered later. */
export function enableBrowserChartReadouts(): void {
  let touched: { chart: HTMLElement; at: number | undefined } | undefined;
  document.addEventListener("pointermove", ({ target, clientX }) => {
    const chart = chartOf(target);
    if (chart) showNearest(chart, clientX);
  });
  document.addEventListener("pointerdown", ({ target, clientX, pointerType }) => {
    const chart = chartOf(target);
    touched =
      chart && pointerType !== "mouse"
        ? { chart, at: chart.hasAttribute("data-shown") ? shown.get(chart) : undefined }
        : undefined;
    if (chart) showNearest(chart, clientX);
  });
  document.addEventListener("mousedown", (event) => {
    const cursor = chartOf(event.target)?.querySelector<HTMLElement>(CURSOR);
    if (!cursor) return;
    // Keeps the value of a touch shown, as a finger leaves the chart at once. The drawing itself cannot have the focus.
    event.preventDefault();
    cursor.focus({ preventScroll: true });
  });
  document.addEventListener("pointerout", ({ target, relatedTarget }) => {
    const chart = chartOf(target);
    const isInside = relatedTarget instanceof Node && chart?.contains(relatedTarget);
    if (chart && !isInside && !isFocused(chart)) hide(chart);
  });
  document.addEventListener("click", ({ target }) => {
    const chart = chartOf(target);
    if (!chart) return;
    // The first touch of a value shows it; a second one opens its list.
    if (touched?.chart === chart && touched.at !== shown.get(chart)) return;
    open(chart);
  });
  document.addEventListener("focusin", ({ target }) => {
    const chart = chartOf(target);
    // New data can have fewer points.
    if (chart) show(chart, Math.min(shown.get(chart) ?? 0, pointsOf(chart).length - 1));
  });
  document.addEventListener("focusout", ({ target }) => {
    const chart = chartOf(target);
    if (chart) hide(chart);
  });
  document.addEventListener("keydown", (event) => {
    const chart = chartOf(event.target);
    // With a modifier they are keys of the browser.
    if (!chart || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const last = pointsOf(chart).length - 1;
    const at = shown.get(chart) ?? 0;
    const moves: Readonly<Record<string, number>> = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      ArrowDown: at - 1,
      ArrowUp: at + 1,
      Home: 0,
      End: last,
    };
    const to = moves[event.key];
    if (to !== undefined) show(chart, Math.min(Math.max(to, 0), last));
    else if (event.key === "Enter") open(chart);
    else if (event.key === "Escape") hide(chart);
    else return;
    event.preventDefault();
  });
}

const chartOf = (target: EventTarget | null) =>
  (target instanceof Element && target.closest<HTMLElement>(CHART)) || undefined;

const isFocused = (chart: HTMLElement) => chart.contains(document.activeElement);

const pointsOf = (chart: HTMLElement): readonly Point[] => JSON.parse(chart.dataset.points!);

function showNearest(chart: HTMLElement, clientX: number): void {
  const { left, width } = chart.querySelector(".plot")!.getBoundingClientRect();
  const x = (clientX - left) / Math.max(width, 1);
  const points = pointsOf(chart);
  const away = points.map(([at]) => Math.abs(at - x));
  if (points.length > 0) show(chart, away.indexOf(Math.min(...away)));
}

function show(chart: HTMLElement, at: number): void {
  const points = pointsOf(chart);
  const point = points[at];
  if (!point) return;
  const [x, text, href] = point;
  shown.set(chart, at);
  chart.style.setProperty("--at", `${x * 100}%`);
  chart.toggleAttribute("data-shown", true);
  chart.toggleAttribute("data-opens", Boolean(href));
  const cursor = chart.querySelector(CURSOR)!;
  cursor.ariaValueMax = String(points.length);
  cursor.ariaValueNow = String(at + 1);
  cursor.ariaValueText = text;
  const readout = chart.querySelector("output")!;
  // A slider in focus announces its own value.
  readout.ariaLive = isFocused(chart) ? "off" : "polite";
  // Setting the same text again would announce it again.
  if (readout.textContent !== text) readout.textContent = text;
}

function hide(chart: HTMLElement): void {
  chart.removeAttribute("data-shown");
  chart.removeAttribute("data-opens");
  chart.querySelector("output")!.textContent = "";
}

function open(chart: HTMLElement): void {
  const href = chart.hasAttribute("data-shown") && pointsOf(chart)[shown.get(chart) ?? 0]?.[2];
  if (href) location.assign(href);
}
