// Stops waiting for work when a signal aborts.

/** Releases the caller on abort even if the work ignores its signal. @throws what the work throws; the signal's reason */
export async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let leave = () => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
    // A failure after the abort concerns nobody.
    work.catch(() => {});
  }
}
