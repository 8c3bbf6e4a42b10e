// Cancels an answer when its caller disconnects, when the model stays silent, or when it takes too long overall.
import { ProviderError } from '../provider-errors.ts';

export interface WatchOptions {
  /** The caller's signal. */
  readonly signal: AbortSignal;
  readonly silenceMsMax: number;
  readonly answerMsMax: number;
}

export class AnswerWatch {
  readonly #options: WatchOptions;
  readonly #stop = new AbortController();
  readonly #late: NodeJS.Timeout;
  readonly #leave: () => void;
  #silence: NodeJS.Timeout | undefined;

  constructor(options: WatchOptions) {
    const { signal, answerMsMax } = options;
    this.#options = options;
    this.#leave = () => this.#stop.abort(signal.reason);
    signal.addEventListener('abort', this.#leave, { once: true });
    this.#late = setTimeout(
      () => this.#stop.abort(new ProviderError('down', 'it took too long')),
      answerMsMax,
    );
  }

  /** Aborts with the reason for which the answer ended. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Starts the time within which the model must send something. */
  listen(): void {
    clearTimeout(this.#silence);
    const silent = (): void => this.#stop.abort(new ProviderError('down', 'it is silent'));
    this.#silence = setTimeout(silent, this.#options.silenceMsMax);
  }

  /** Stops that time while the model is not the one to act. */
  rest(): void {
    clearTimeout(this.#silence);
  }

  /** Cancels whatever is still running. */
  end(): void {
    clearTimeout(this.#late);
    clearTimeout(this.#silence);
    this.#options.signal.removeEventListener('abort', this.#leave);
    this.#stop.abort();
  }
}
