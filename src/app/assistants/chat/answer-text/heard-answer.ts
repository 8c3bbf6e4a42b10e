// What a language model has said: its text while it arrives, then a refusal, its calls of tools and the end.
import type {
  AnswerUsage,
  LanguageModel,
  ModelPiece,
  ModelRequest,
  ToolCallDelta,
} from '../../../../domain/inference/language-model.ts';
import type { TokenCounter } from '../../token-counter.ts';
import type { AnswerPart } from '../chat-provider.ts';
import { joinedCalls } from '../whole-answer.ts';
import { ThinkingFilter } from './thinking.ts';
import { habitsOf, type ThinkingHabits } from './thinking-habits.ts';

type End = Extract<ModelPiece, { readonly type: 'end' }>;

export class HeardAnswer {
  readonly #pieces: AsyncIterable<ModelPiece>;
  readonly #calls: ToolCallDelta[] = [];
  readonly #request: ModelRequest;
  readonly #habits: ThinkingHabits;
  readonly #thinking: ThinkingFilter;
  #text = '';
  #refusal = '';
  #end: End | null = null;

  constructor(languageModel: LanguageModel, request: ModelRequest, signal: AbortSignal) {
    this.#pieces = languageModel.ask(request, signal);
    this.#request = request;
    this.#habits = habitsOf(languageModel);
    this.#thinking = new ThinkingFilter(this.#habits.get(request.model));
  }

  /** Yields the text without thoughts. Read it once, to its end, before anything else. */
  async *texts(): AsyncGenerator<string> {
    for await (const piece of this.#pieces) {
      if (piece.type === 'end') this.#end = piece;
      else if (piece.type === 'tool-calls') this.#calls.push(...piece.calls);
      else if (piece.type === 'refusal') this.#refusal += piece.text;
      else yield* this.#heard(this.#thinking.read(piece.text));
    }
    const isCutOff = this.#end?.finishReason === 'length';
    yield* this.#heard(this.#thinking.end(isCutOff));
    this.#learn(isCutOff);
  }

  get callsTools(): boolean {
    return this.#calls.length > 0;
  }

  /** Empty unless the model refused to answer. */
  get refusal(): string {
    return this.#refusal;
  }

  /**
   * Yields what follows the text: a refusal, whole calls of tools, and the end.
   * @param promptTokens counts the prompt where the provider did not
   */
  async *ending(promptTokens: () => Promise<number>, countTokens: TokenCounter): AsyncGenerator<AnswerPart> {
    if (this.#refusal !== '') yield { type: 'refusal', text: this.#refusal };
    if (this.callsTools) yield { type: 'tool-calls', calls: joinedCalls(this.#calls) };
    const finishReason = this.#end?.finishReason ?? 'stop';
    yield { type: 'end', finishReason, usage: await this.usage(promptTokens, countTokens) };
  }

  *#heard(text: string): Generator<string> {
    if (text === '') return;
    this.#text += text;
    yield text;
  }

  /** Servers that see to it that an answer is JSON keep models from thinking, and a thought without end tells nothing. */
  #learn(isCutOff: boolean): void {
    const { model, isJson } = this.#request;
    const { hasBegunInThought } = this.#thinking;
    if (hasBegunInThought) this.#habits.note(model, true);
    else if (this.#text !== '' && !isJson && !isCutOff) this.#habits.note(model, false);
  }

  /**
   * Thoughts are not counted: callers do not get them.
   * @param promptTokens counts the prompt where the provider did not
   */
  async usage(promptTokens: () => Promise<number>, countTokens: TokenCounter): Promise<AnswerUsage> {
    const counted = this.#end?.usage;
    if (counted && !this.#thinking.hasThought) return counted;
    const completionTokens = await countTokens(this.#text + this.#refusal);
    return { promptTokens: counted?.promptTokens ?? (await promptTokens()), completionTokens };
  }
}
