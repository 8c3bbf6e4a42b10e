// Computes on texts of which a provider refuses some: it has a rule that is not known here, or tokens that can be counted
// there only, so that a text within the limit by its words may be over it.
import { countTokens } from '../../builtin/encoders.ts';
import type { FittedText } from '../../fit-texts.ts';
import { ProviderError, TooLong } from '../../provider-errors.ts';
import { type TokenLimits, trimmedFor } from '../../readable-part.ts';

/** What no provider refuses that takes any text. */
const PROBE: FittedText = { text: 'text', tokens: 1 };
/** A text as short as this is refused for another reason than its length. */
const SHORT_CHARS = 64;

/** Returns one result for each text, in order. */
type Ask<Result> = (texts: readonly FittedText[]) => Promise<readonly Result[]>;

export interface AcceptedOptions {
  readonly limits: TokenLimits;
  /** Whether a text must be named also where it is the only one. */
  readonly namesOne: boolean;
}

/**
 * Returns the result of each text of a batch. What is refused is sent again in halves of the batch, then a single text in
 * halves of itself, if it may be truncated; unless a short text is refused as well.
 * @throws TooLong for a text that is refused by itself; what `ask` throws
 */
export async function answerAsAccepted<Result>(
  texts: readonly FittedText[],
  { limits, namesOne }: AcceptedOptions,
  ask: Ask<Result>,
): Promise<readonly Result[]> {
  try {
    return await ask(texts);
  } catch (error) {
    const isKnown = texts.length === 1 && !namesOne;
    if (!isRefusal(error) || (isKnown && !texts.some((text) => isCuttable(text, limits)))) throw error;
    await ask([PROBE]).catch((refused: unknown) => {
      // The provider refuses everything, and no text is at fault.
      throw isRefusal(refused) ? error : refused;
    });
    return await new RefusedBatch(limits, ask).answer(texts, error.message);
  }
}

function isRefusal(error: unknown): error is ProviderError {
  return error instanceof ProviderError && error.kind === 'refused';
}

function isCuttable({ text }: FittedText, { truncate }: TokenLimits): boolean {
  return truncate !== 'NONE' && text.length > SHORT_CHARS;
}

interface Part {
  /** Of its text in the batch. */
  readonly position: number;
  /** The text, or what is left of it. */
  readonly text: FittedText;
}

class RefusedBatch<Result> {
  readonly #limits: TokenLimits;
  readonly #ask: Ask<Result>;
  readonly #results: Result[] = [];
  /** The shortest text that was refused by itself: one as long is sent by itself, lest others are refused with it. */
  #refusedChars = Number.POSITIVE_INFINITY;

  constructor(limits: TokenLimits, ask: Ask<Result>) {
    this.#limits = limits;
    this.#ask = ask;
  }

  /** Each text gets the result that it would get alone: no other one decides how it is cut. */
  async answer(texts: readonly FittedText[], refusal: string): Promise<readonly Result[]> {
    let parts = await this.#split(
      texts.map((text, position) => ({ position, text })),
      refusal,
    );
    while (parts.length > 0) parts = await this.#tryOut(parts);
    return this.#results;
  }

  /** Computes on the parts; returns halves of those that are refused by themselves. */
  async #tryOut(parts: readonly Part[]): Promise<readonly Part[]> {
    if (parts.length > 1 && parts.some(({ text }) => text.text.length >= this.#refusedChars))
      return await this.#tryHalves(parts);
    try {
      const results = await this.#ask(parts.map(({ text }) => text));
      for (const [index, { position }] of parts.entries()) {
        const result = results[index];
        if (result === undefined) throw new Error('the provider returned fewer results than texts');
        this.#results[position] = result;
      }
      return [];
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return await this.#split(parts, error.message);
    }
  }

  /** Goes on with parts that are refused together. */
  async #split(parts: readonly Part[], refusal: string): Promise<readonly Part[]> {
    const [part] = parts;
    if (parts.length > 1 || part === undefined) return await this.#tryHalves(parts);
    this.#refusedChars = Math.min(this.#refusedChars, part.text.text.length);
    return [this.#halved(part, refusal)];
  }

  async #tryHalves(parts: readonly Part[]): Promise<readonly Part[]> {
    const half = Math.ceil(parts.length / 2);
    const before = await this.#tryOut(parts.slice(0, half));
    return [...before, ...(await this.#tryOut(parts.slice(half)))];
  }

  /** @throws TooLong when the text is short, or must not be truncated */
  #halved({ position, text: fitted }: Part, refusal: string): Part {
    const { truncate, tokensMax } = this.#limits;
    const { text, tokens } = fitted;
    if (!isCuttable(fitted, this.#limits)) throw new TooLong(position, { tokens, tokensMax, refusal });
    const trimmed = trimmedFor(truncate, text);
    const half = Math.ceil(trimmed.length / 2);
    const cut = truncate === 'END' ? trimmed.slice(0, half) : trimmed.slice(-half);
    // Half of a character at the cut is none.
    const kept = cut.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
    return { position, text: { text: kept, tokens: Math.max(1, countTokens(kept)) } };
  }
}
