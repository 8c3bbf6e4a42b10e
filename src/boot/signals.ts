// Signals: the first one asks for an orderly end, the second one ends at once.

const SIGNAL_NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;
/**
 * One Ctrl-C often arrives twice: from the terminal and from the process in between (npm, a wrapper).
 * What comes this soon after the first signal is that one again.
 */
const ECHO_MS = 300;
/** What shells report for a process that a signal ended. */
const EXIT_BY_SIGNAL = 128;

export interface SignalSource {
  on(signal: keyof typeof SIGNAL_NUMBERS, heard: () => void): unknown;
}

/** `stop` runs once; `exit` gets 0 after it, 1 when it fails, or the signal's code on the second signal. */
export function onSignals(
  source: SignalSource,
  { stop, exit }: { readonly stop: () => Promise<void>; readonly exit: (code: number) => void },
): void {
  let firstHeardAt: number | undefined;
  for (const signal of Object.keys(SIGNAL_NUMBERS) as (keyof typeof SIGNAL_NUMBERS)[]) {
    source.on(signal, () => {
      if (firstHeardAt !== undefined) {
        const isEcho = performance.now() - firstHeardAt < ECHO_MS;
        if (!isEcho) exit(EXIT_BY_SIGNAL + SIGNAL_NUMBERS[signal]);
        return;
      }
      firstHeardAt = performance.now();
      stop().then(
        () => exit(0),
        () => exit(1),
      );
    });
  }
}
