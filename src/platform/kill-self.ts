// The last resort: ends this process without waiting for any of its threads, which `process.exit` does.

/** Never returns. */
export function killSelf(): never {
  process.kill(process.pid, 'SIGKILL');
  // Process 1 of a container is deaf to its own SIGKILL, but not to an abort.
  process.abort();
}
