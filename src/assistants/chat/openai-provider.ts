// Chats answered by a language model behind an endpoint of the OpenAI shape, streamed, bounded in time and length.
import { Fault, fault } from '../../domain/faults.ts';
import type { FinishReason } from '../answering/shapes/chat.ts';
import type { AnswerPart, AnswerUsage, ChatProvider, ChatQuestion } from './chat-provider.ts';
import { citeMarks } from './cite-marks.ts';
import { newFence, promptOf } from './prompt.ts';
import { readEvents } from './read-events.ts';

const SILENCE_MS_MAX = 60_000;
const ANSWER_MS_MAX = 300_000;
const ANSWER_CHARACTERS_MAX = 200_000;
const DONE = '[DONE]';

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content_filter',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
};

export interface OpenAiOptions {
  /** Up to and without `/chat/completions`. */
  readonly baseUrl: string;
  /** Null where none is needed. */
  readonly apiKey: string | null;
  /** As the endpoint knows it. */
  readonly model: string;
  readonly countTokens: (text: string) => number;
  /** Between two pieces of an answer, and before the first. */
  readonly silenceMsMax?: number;
  readonly answerMsMax?: number;
  readonly answerCharactersMax?: number;
}

export function openAiProvider(options: OpenAiOptions): ChatProvider {
  return {
    answeredBy: options.model,
    answer: (question, signal) => new ModelAnswer(options, question).parts(signal),
  };
}

/** What is read of an event. */
interface Delta {
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string | null };
    readonly message?: { readonly content?: string | null };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number } | null;
}

/** One answer of a model. */
class ModelAnswer {
  readonly #options: OpenAiOptions;
  readonly #question: ChatQuestion;
  readonly #prompt: ReturnType<typeof promptOf>;
  /** Ends the request, whoever wants it ended. */
  readonly #stop = new AbortController();
  #silence: NodeJS.Timeout | undefined;
  #text = '';
  #finishReason: FinishReason | null = null;
  #usage: AnswerUsage | null = null;

  constructor(options: OpenAiOptions, question: ChatQuestion) {
    this.#options = options;
    this.#question = question;
    this.#prompt = promptOf(question, newFence());
  }

  async *parts(signal: AbortSignal): AsyncGenerator<AnswerPart> {
    signal.throwIfAborted();
    const onAbort = (): void => this.#stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const { answerMsMax = ANSWER_MS_MAX } = this.#options;
    const late = setTimeout(() => this.#stop.abort(this.#unavailable('it took too long')), answerMsMax);
    try {
      const { isJson, chunks } = this.#question;
      if (isJson) yield* this.#jsonParts();
      else yield* citeMarks(this.#pieces(), chunks);
      yield {
        type: 'end',
        finishReason: this.#finishReason ?? 'stop',
        usage: this.#usage ?? this.#counted(),
      };
    } catch (error) {
      throw this.#judged(error, signal);
    } finally {
      clearTimeout(late);
      clearTimeout(this.#silence);
      signal.removeEventListener('abort', onAbort);
      this.#stop.abort();
    }
  }

  /** Models wrap objects into prose and fences at times; what is no object becomes one. */
  async *#jsonParts(): AsyncGenerator<AnswerPart> {
    for await (const _ of this.#pieces());
    const text = this.#text.trim();
    yield { type: 'text', text: isJsonObject(text) ? text : JSON.stringify({ answer: text }) };
  }

  async *#pieces(): AsyncGenerator<string> {
    const { answerCharactersMax = ANSWER_CHARACTERS_MAX } = this.#options;
    for await (const delta of this.#deltas()) {
      const [choice] = delta.choices ?? [];
      this.#take(delta);
      const piece = choice?.delta?.content ?? choice?.message?.content ?? '';
      const room = answerCharactersMax - this.#text.length;
      const kept = piece.length > room ? piece.slice(0, room).toWellFormed() : piece;
      this.#text += kept;
      if (kept !== '') yield kept;
      if (piece.length > room) {
        this.#finishReason = 'length';
        return;
      }
    }
  }

  async *#deltas(): AsyncGenerator<Delta> {
    this.#listen();
    const response = await this.#request();
    if (!response.ok || response.body === null) throw this.#unavailable(`it answered ${response.status}`);
    // Some do not stream, and answer as a whole.
    if (response.headers.get('content-type')?.startsWith('application/json') === true) {
      yield (await response.json()) as Delta;
      return;
    }
    let isDone = false;
    for await (const data of readEvents(this.#heard(response.body))) {
      if (data === DONE) {
        isDone = true;
        break;
      }
      yield JSON.parse(data) as Delta;
    }
    if (!isDone && this.#finishReason === null) throw this.#unavailable('its answer was cut off');
  }

  #request(): Promise<Response> {
    const { baseUrl, apiKey, model } = this.#options;
    const { temperature, isJson } = this.#question;
    return fetch(`${baseUrl.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      redirect: 'error',
      signal: this.#stop.signal,
      headers: {
        'content-type': 'application/json',
        ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        messages: this.#prompt,
        stream: true,
        ...(temperature !== null && { temperature }),
        ...(isJson && { response_format: { type: 'json_object' } }),
      }),
    });
  }

  async *#heard(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      this.#listen();
      yield piece;
    }
  }

  /** Starts the time anew within which something must be heard. */
  #listen(): void {
    clearTimeout(this.#silence);
    const { silenceMsMax = SILENCE_MS_MAX } = this.#options;
    this.#silence = setTimeout(() => this.#stop.abort(this.#unavailable('it is silent')), silenceMsMax);
  }

  #take({ choices, usage }: Delta): void {
    const reason = choices?.[0]?.finish_reason;
    if (typeof reason === 'string') this.#finishReason = FINISH_REASONS[reason] ?? 'stop';
    const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage ?? {};
    if (isCount(promptTokens) && isCount(completionTokens)) this.#usage = { promptTokens, completionTokens };
  }

  /** For providers that do not count. */
  #counted(): AnswerUsage {
    const { countTokens } = this.#options;
    return {
      promptTokens: this.#prompt.reduce((sum, { content }) => sum + countTokens(content), 0),
      completionTokens: countTokens(this.#text),
    };
  }

  #unavailable(reason: string): Fault {
    return fault('chat-unavailable', { model: this.#options.model, reason });
  }

  /** What a provider does wrong is told without what it sent: that may hold anything. */
  #judged(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    if (error instanceof Fault) return error;
    if (this.#stop.signal.reason instanceof Fault) return this.#stop.signal.reason;
    return this.#unavailable(
      error instanceof SyntaxError || error instanceof RangeError
        ? 'its answer is no stream of events'
        : 'it cannot be reached',
    );
  }
}

function isCount(value: number | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
