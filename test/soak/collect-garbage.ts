/* Preloaded by the servers of a soak test: what stays after a full collection is in use, and its growth is a leak. */
process.on("SIGUSR2", () => Bun.gc(true));
