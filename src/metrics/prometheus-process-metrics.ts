import { readdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

const SAMPLE_MS = 20;
const NANOSECONDS = 1e9;

/**
 * Defines the standard process metrics of Prometheus. Returns a function that sets them. The defaults of prom-client
 * depend on features of Node.js that Bun lacks.
 */
export function definePrometheusProcessMetrics(registry: Registry): () => void {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const start = gauge("process_start_time_seconds", "When the process started, in epoch seconds.");
  start.set(performance.timeOrigin / 1000);
  const resident = gauge("process_resident_memory_bytes", "Resident memory of the process.");
  const heap = gauge("process_heap_bytes", "Memory used by the JavaScript heap.");
  const descriptors = gauge("process_open_fds", "Open file descriptors.");
  const cpu = new Counter({
    name: "process_cpu_seconds_total",
    help: "User and system CPU time.",
    registers,
  });
  const delay = new Gauge({
    name: "mainstay_event_loop_delay_seconds",
    help: "Delay of the event loop since the last scrape, by percentile; 100 is the maximum.",
    // Prometheus reserves the label `quantile` for summaries.
    labelNames: ["percentile"],
    registers,
  });
  const histogram = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  histogram.enable();

  return () => {
    const memory = process.memoryUsage();
    resident.set(memory.rss);
    heap.set(memory.heapUsed);
    const { user, system } = process.cpuUsage();
    cpu.reset();
    cpu.inc((user + system) / 1e6);
    const open = openDescriptors();
    if (open !== undefined) descriptors.set(open);
    for (const percentile of [50, 99, 100])
      delay.set({ percentile }, histogram.percentile(percentile) / NANOSECONDS);
    histogram.reset();
  };
}

/** Returns undefined on systems without /proc. */
function openDescriptors(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
