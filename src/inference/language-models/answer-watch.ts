// Cancels an answer when its caller disconnects, when the model stays silent, or when it takes too long overall.
import { ProviderError } from '../provider-errors.ts';

export interface WatchOptions {
  /** Of the caller. */
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

  /** Aborted with the reason of the end. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** From now on the model must be heard within its time. */
  listen(): void {
    clearTimeout(this.#silence);
    const silent = (): void => this.#stop.abort(new ProviderError('down', 'it is silent'));
    this.#silence = setTimeout(silent, this.#options.silenceMsMax);
  }

  /** The model has nothing to say now: others are at work. */
  rest(): void {
    clearTimeout(this.#silence);
  }

  /** Ends what is under way still. */
  end(): void {
    clearTimeout(this.#late);
    clearTimeout(this.#silence);
    this.#options.signal.removeEventListener('abort', this.#leave);
    this.#stop.abort();
  }
}
