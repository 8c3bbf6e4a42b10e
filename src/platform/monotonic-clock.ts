// A clock that never goes back, whatever the system's clock is set to, and that all threads of the process share:
// `performance.now()` begins anew in each thread.

/** Milliseconds since some moment before the process began. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}

/** The same in whole seconds. */
export function monotonicSeconds(): number {
  return process.hrtime()[0];
}
