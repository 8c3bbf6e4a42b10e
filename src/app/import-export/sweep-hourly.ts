// Keeps the server's own storage free of files that nobody needs any more.
const SWEEP_MS = 3_600_000;

/**
 * Sweeps now and each hour, one after the other.
 * @param onFailure called with what a sweep throws; the others go on
 * @returns ends it, once it rests
 */
export function sweepHourly(
  sweeps: readonly (() => Promise<void>)[],
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let last = Promise.resolve();
  const sweepAll = () => {
    for (const sweep of sweeps) last = last.then(sweep).catch(onFailure);
  };
  sweepAll();
  const timer = setInterval(sweepAll, SWEEP_MS).unref();
  return () => {
    clearInterval(timer);
    return last;
  };
}
