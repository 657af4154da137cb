import { readdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

const SAMPLE_MS = 20;
const NANOSECONDS = 1e9;

/**
 * What the process takes of its machine, by the names that dashboards for Prometheus know; prom-client's own defaults
 * ask a runtime that this one is not. Returns what sets them.
 */
export function watchProcess(registry: Registry): () => void {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const start = gauge("process_start_time_seconds", "When the process started, in epoch seconds.");
  start.set(performance.timeOrigin / 1000);
  const resident = gauge("process_resident_memory_bytes", "Memory of the process that is in RAM.");
  const heap = gauge("process_heap_bytes", "Memory that the program's objects take.");
  const descriptors = gauge("process_open_fds", "Open files and sockets.");
  const cpu = new Counter({
    name: "process_cpu_seconds_total",
    help: "CPU time used since the start.",
    registers,
  });
  const delay = new Gauge({
    name: "mainstay_event_loop_delay_seconds",
    help: "How late the event loop came to its timers since the last scrape, by percentile; 100 is the longest.",
    // `quantile` is the name that summaries keep to themselves.
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

/** Undefined where the system has no folder of them. */
function openDescriptors(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
