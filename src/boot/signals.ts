// Signals: the first one stops the server in order, the second one exits at once; SIGHUP reads the certificate again.
import { keysOf } from '../domain/keys-of.ts';

const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
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

export interface SignalActions {
  readonly stop: () => Promise<void>;
  /** Gets 0 after `stop`, 1 when it fails, or the signal's code on the second signal. */
  readonly exit: (code: number) => void;
  /** Reads files of the settings again. */
  readonly reload: () => void;
  /** True if SIGHUP means that the terminal is gone, and the server with it. */
  readonly isInTerminal: boolean;
}

/** Acts on signals; `stop` runs at most once. */
export function onSignals(source: SignalSource, { stop, exit, reload, isInTerminal }: SignalActions): void {
  let firstAt: number | undefined;
  for (const signal of keysOf(SIGNAL_NUMBERS)) {
    source.on(signal, () => {
      if (signal === 'SIGHUP' && !isInTerminal) return reload();
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
