// Signals: the first one stops the server in order, the second one exits at once.
import { keysOf } from '../domain/keys-of.ts';

const SIGNAL_NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;
/**
 * One Ctrl-C often arrives twice: from the terminal and from a process in between (npm, a wrapper).
 * A signal this soon after the first one is its echo.
 */
const ECHO_MS = 300;
/** The base of the exit codes that shells report for signals. */
const EXIT_BY_SIGNAL = 128;

export interface SignalSource {
  on(signal: keyof typeof SIGNAL_NUMBERS, listener: () => void): unknown;
}

/** `stop` runs once; `exit` gets 0 after it, 1 when it fails, or the signal's code on the second signal. */
export function onSignals(
  source: SignalSource,
  { stop, exit }: { readonly stop: () => Promise<void>; readonly exit: (code: number) => void },
): void {
  let firstAt: number | undefined;
  for (const signal of keysOf(SIGNAL_NUMBERS)) {
    source.on(signal, () => {
      if (firstAt !== undefined) {
        const isEcho = performance.now() - firstAt < ECHO_MS;
        if (!isEcho) exit(EXIT_BY_SIGNAL + SIGNAL_NUMBERS[signal]);
        return;
      }
      firstAt = performance.now();
      stop().then(
        () => exit(0),
        () => exit(1),
      );
    });
  }
}
