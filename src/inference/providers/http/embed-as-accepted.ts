// Embeds texts that a provider refuses for one among them: its tokens can be counted there only, so that a text within
// the limit by its words may be over it.
import { countTokens } from '../../builtin/encoders.ts';
import type { FittedText } from '../../fit-texts.ts';
import type { EmbedAnswer } from '../../ports.ts';
import { ProviderError, TooLong } from '../../provider-errors.ts';
import type { TokenLimits } from '../../readable-part.ts';

/** What no provider refuses that takes any text. */
const PROBE: FittedText = { text: 'text', tokens: 1 };
/** A text as short as this is refused for another reason than its length. */
const SHORT_CHARS = 64;
const PAYLOAD_TOO_LARGE = 413;

type Embed = (texts: readonly FittedText[]) => Promise<EmbedAnswer>;

/**
 * Embeds the texts of a batch. What is refused is sent again in halves of the batch, then a single text in halves of
 * itself, if it may be truncated; unless a short text is refused as well.
 * @throws TooLong for a text that is refused by itself; what `embed` throws
 */
export async function embedAsAccepted(
  texts: readonly FittedText[],
  limits: TokenLimits,
  embed: Embed,
): Promise<EmbedAnswer> {
  try {
    return await embed(texts);
  } catch (error) {
    const isFor = limits.truncate === 'NONE' ? isForSize : isMaybeForLength;
    if (!(error instanceof ProviderError && error.kind === 'refused' && isFor(error, texts))) throw error;
    await embed([PROBE]).catch((refused: unknown) => {
      // The provider refuses everything, and no text is at fault.
      throw refused instanceof ProviderError && refused.kind === 'refused' ? error : refused;
    });
    return await new RefusedBatch(limits, embed).embedParts({ texts, position: 0, refusal: error.message });
  }
}

/** Only then is a refusal of the whole one of its texts, where none may be truncated. */
function isForSize({ status }: ProviderError): boolean {
  return status === PAYLOAD_TOO_LARGE;
}

function isMaybeForLength(_: ProviderError, texts: readonly FittedText[]): boolean {
  return texts.some(({ text }) => text.length > SHORT_CHARS);
}

interface RefusedTexts {
  readonly texts: readonly FittedText[];
  /** Of the first one in the batch. */
  readonly position: number;
  readonly refusal: string;
}

class RefusedBatch {
  readonly #limits: TokenLimits;
  readonly #embed: Embed;
  /** The shortest text that was refused by itself: others as long need not be tried whole. */
  #refusedChars = Number.POSITIVE_INFINITY;

  constructor(limits: TokenLimits, embed: Embed) {
    this.#limits = limits;
    this.#embed = embed;
  }

  async embedParts(refused: RefusedTexts): Promise<EmbedAnswer> {
    const { texts, position } = refused;
    const [text] = texts;
    if (texts.length === 1 && text !== undefined) {
      const shortened = this.#shortened(text, refused);
      this.#refusedChars = Math.min(this.#refusedChars, text.text.length);
      return await this.#embedOrSplit([shortened], position);
    }
    const half = Math.ceil(texts.length / 2);
    const before = await this.#embedOrSplit(texts.slice(0, half), position);
    const behind = await this.#embedOrSplit(texts.slice(half), position + half);
    return {
      embeddings: [...before.embeddings, ...behind.embeddings],
      tokens: [...before.tokens, ...behind.tokens],
    };
  }

  async #embedOrSplit(given: readonly FittedText[], position: number): Promise<EmbedAnswer> {
    const texts = given.map((text) => this.#halvedWhereRefused(text));
    try {
      return await this.#embed(texts);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind !== 'refused') throw error;
      return await this.embedParts({ texts, position, refusal: error.message });
    }
  }

  /** Of one batch, texts are mostly alike. */
  #halvedWhereRefused(text: FittedText): FittedText {
    const isLong = text.text.length >= this.#refusedChars && text.text.length > SHORT_CHARS;
    return isLong && this.#limits.truncate !== 'NONE' ? this.#half(text) : text;
  }

  /** Half of the text. @throws TooLong when it is short, or must not be truncated */
  #shortened({ text, tokens }: FittedText, { position, refusal }: RefusedTexts): FittedText {
    const { truncate, tokensMax } = this.#limits;
    if (truncate === 'NONE' || text.length <= SHORT_CHARS)
      throw new TooLong(position, { tokens, tokensMax, refusal });
    return this.#half({ text, tokens });
  }

  #half({ text }: FittedText): FittedText {
    const { truncate } = this.#limits;
    const half = Math.ceil(text.length / 2);
    const cut = truncate === 'END' ? text.slice(0, half) : text.slice(-half);
    // Half of a character at the cut is none.
    const kept = cut.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
    return { text: kept, tokens: Math.max(1, countTokens(kept)) };
  }
}
