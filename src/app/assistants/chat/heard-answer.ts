// What a language model has said: its text while it arrives, then its calls of tools and the end.
import type { AnswerUsage, ModelPiece, ToolCallDelta } from '../../../domain/inference/language-model.ts';
import type { AnswerPart } from './chat-provider.ts';
import { joinedCalls } from './whole-answer.ts';

type End = Extract<ModelPiece, { readonly type: 'end' }>;

export class HeardAnswer {
  readonly #pieces: AsyncIterable<ModelPiece>;
  readonly #calls: ToolCallDelta[] = [];
  #text = '';
  #end: End | null = null;

  constructor(pieces: AsyncIterable<ModelPiece>) {
    this.#pieces = pieces;
  }

  /** Read it once, to its end, before anything else. */
  async *texts(): AsyncGenerator<string> {
    for await (const piece of this.#pieces) {
      if (piece.type === 'end') this.#end = piece;
      else if (piece.type === 'tool-calls') this.#calls.push(...piece.calls);
      else {
        this.#text += piece.text;
        yield piece.text;
      }
    }
  }

  get callsTools(): boolean {
    return this.#calls.length > 0;
  }

  /** Whole calls, in one part; none when the model called no tool. */
  *toolCalls(): Generator<AnswerPart> {
    if (this.callsTools) yield { type: 'tool-calls', calls: joinedCalls(this.#calls) };
  }

  /** @param usageOf counts where the provider did not */
  async end(usageOf: (answer: string) => Promise<AnswerUsage>): Promise<AnswerPart> {
    const usage = this.#end?.usage ?? (await usageOf(this.#text));
    return { type: 'end', finishReason: this.#end?.finishReason ?? 'stop', usage };
  }
}
