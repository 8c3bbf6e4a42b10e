// Embeds texts that a provider refuses for one among them: it has a rule that is not known here, or its tokens can be
// counted there only, so that a text within the limit by its words may be over it.
import type { Embedding } from '../../../domain/inference/port.ts';
import type { EmbedParameters } from '../../../domain/inference/read-parameters.ts';
import { countTokens } from '../../builtin/encoders.ts';
import type { FittedText } from '../../fit-texts.ts';
import type { EmbedAnswer } from '../../ports.ts';
import { ProviderError, TooLong } from '../../provider-errors.ts';
import type { TokenLimits } from '../../readable-part.ts';

/** What no provider refuses that takes any text. */
const PROBE: FittedText = { text: 'text', tokens: 1 };
/** A text as short as this is refused for another reason than its length. */
const SHORT_CHARS = 64;

type Embed = (texts: readonly FittedText[]) => Promise<EmbedAnswer>;

/**
 * Embeds the texts of a batch. What is refused is sent again in halves of the batch, then a single text in halves of
 * itself, if it may be truncated; unless a short text is refused as well.
 * @throws TooLong for a text that is refused by itself; what `embed` throws
 */
export async function embedAsAccepted(
  texts: readonly FittedText[],
  parameters: Pick<EmbedParameters, 'inputType' | 'truncate' | 'tokensMax'>,
  embed: Embed,
): Promise<EmbedAnswer> {
  try {
    return await embed(texts);
  } catch (error) {
    // Somebody waits for a query, who need not be told which of one text it is.
    const isKnown = texts.length === 1 && parameters.inputType === 'query';
    if (!isRefusal(error) || (isKnown && !texts.some((text) => isCuttable(text, parameters)))) throw error;
    await embed([PROBE]).catch((refused: unknown) => {
      // The provider refuses everything, and no text is at fault.
      throw isRefusal(refused) ? error : refused;
    });
    return await new RefusedBatch(parameters, embed).answer(texts, error.message);
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

class RefusedBatch {
  readonly #limits: TokenLimits;
  readonly #embed: Embed;
  readonly #embeddings: Embedding[] = [];
  readonly #tokens: number[] = [];
  /** The shortest text that was refused by itself: one as long is sent by itself, lest others are refused with it. */
  #refusedChars = Number.POSITIVE_INFINITY;

  constructor(limits: TokenLimits, embed: Embed) {
    this.#limits = limits;
    this.#embed = embed;
  }

  /** Each text gets the vector that it would get alone: no other one decides how it is cut. */
  async answer(texts: readonly FittedText[], refusal: string): Promise<EmbedAnswer> {
    let parts = await this.#split(
      texts.map((text, position) => ({ position, text })),
      refusal,
    );
    while (parts.length > 0) parts = await this.#tryOut(parts);
    return { embeddings: this.#embeddings, tokens: this.#tokens };
  }

  /** Embeds the parts; returns halves of those that are refused by themselves. */
  async #tryOut(parts: readonly Part[]): Promise<readonly Part[]> {
    if (parts.length > 1 && parts.some(({ text }) => text.text.length >= this.#refusedChars))
      return await this.#tryHalves(parts);
    try {
      const { embeddings, tokens } = await this.#embed(parts.map(({ text }) => text));
      for (const [index, { position }] of parts.entries()) {
        const embedding = embeddings[index];
        if (embedding === undefined) throw new Error('the provider returned fewer vectors than texts');
        this.#embeddings[position] = embedding;
        this.#tokens[position] = tokens[index] ?? 1;
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
    const half = Math.ceil(text.length / 2);
    const cut = truncate === 'END' ? text.slice(0, half) : text.slice(-half);
    // Half of a character at the cut is none.
    const kept = cut.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
    return { position, text: { text: kept, tokens: Math.max(1, countTokens(kept)) } };
  }
}
