// Tokenizes texts: token ids between the special tokens that a model expects, truncated to its limit.
import type { Tokenizer } from '@huggingface/tokenizers';
import { TooLong } from '../../provider-errors.ts';
import { readablePart, type TokenLimits } from '../../readable-part.ts';

export interface TokenSequence {
  readonly ids: readonly number[];
  /** 0 for the first text, 1 for the second of a pair; as long as the ids. */
  readonly types: readonly number[];
  /** Tokens of the texts alone, without special tokens. */
  readonly tokens: number;
}

export interface PairLimits extends TokenLimits {
  /** Whether the limit applies to the document or to the pair. */
  readonly counted: 'pair' | 'document';
}

interface Marks {
  readonly ids: readonly number[];
  readonly types: readonly number[];
}

/** Any word; it only reveals the positions of special tokens. */
const PROBE = 'a';

export class TokenFrames {
  readonly #tokenizer: Tokenizer;
  readonly #positionsMax: number;
  readonly #single: readonly Marks[];
  readonly #pair: readonly Marks[];

  /** @param positionsMax tokens of a whole sequence, including special tokens */
  constructor(tokenizer: Tokenizer, positionsMax: number) {
    this.#tokenizer = tokenizer;
    this.#positionsMax = positionsMax;
    this.#single = this.#marksAround([PROBE]);
    this.#pair = this.#marksAround([PROBE, PROBE]);
  }

  /** Tokenizes a text. The prefix is never truncated or counted. @throws TooLong */
  single(
    text: string,
    position: number,
    { prefix, ...limits }: TokenLimits & { readonly prefix: string },
  ): TokenSequence {
    const head = prefix === '' ? 0 : this.#idsOf(prefix.trimEnd()).length;
    const room = this.#positionsMax - marksCount(this.#single) - head;
    const tokensMax = Math.min(limits.tokensMax, room);
    if (tokensMax < 1) throw new Error('max_tokens is too small for a text with special tokens and prefix');
    const ids = this.#idsOf(prefix + readablePart(text, { ...limits, tokensMax }));
    const tokens = Math.max(0, ids.length - head);
    if (tokens <= tokensMax) return framed(this.#single, [ids], tokens);
    if (limits.truncate === 'NONE') throw new TooLong(position, { tokens, tokensMax });
    const cut =
      limits.truncate === 'END'
        ? ids.slice(0, head + tokensMax)
        : [...ids.slice(0, head), ...ids.slice(ids.length - tokensMax)];
    return framed(this.#single, [cut], tokensMax);
  }

  /**
   * Tokenizes pairs. Over the limit, the query keeps at least half of it, the document the rest.
   * @throws TooLong
   */
  pairs(query: string, documents: readonly string[], limits: PairLimits): readonly TokenSequence[] {
    const room = this.#positionsMax - marksCount(this.#pair);
    const queryIds = this.#idsOf(readablePart(query, { truncate: 'END', tokensMax: room }));
    return documents.map((document, position) => {
      const ids = this.#idsOf(readablePart(document, { ...limits, tokensMax: room }));
      const tokens = (limits.counted === 'pair' ? queryIds.length : 0) + ids.length;
      if (tokens <= limits.tokensMax && queryIds.length + ids.length <= room) {
        return framed(this.#pair, [queryIds, ids], queryIds.length + ids.length);
      }
      const tokensMax = Math.min(limits.tokensMax, room);
      if (limits.truncate === 'NONE') throw new TooLong(position, { tokens, tokensMax });
      const roomOfBoth = limits.counted === 'pair' ? tokensMax : room;
      const queryRoom = Math.max(Math.floor(roomOfBoth / 2), roomOfBoth - ids.length);
      const queryCut = queryIds.slice(0, queryRoom);
      const left = Math.min(limits.tokensMax, roomOfBoth - queryCut.length);
      const cut = limits.truncate === 'END' ? ids.slice(0, left) : ids.slice(Math.max(0, ids.length - left));
      return framed(this.#pair, [queryCut, cut], queryCut.length + cut.length);
    });
  }

  #idsOf(text: string): number[] {
    return this.#tokenizer.encode(text, { add_special_tokens: false }).ids;
  }

  /** The special tokens before, between and after the texts, found by a probe. */
  #marksAround(texts: readonly [string] | readonly [string, string]): readonly Marks[] {
    const [first, second] = texts;
    const options = {
      ...(second === undefined ? {} : { text_pair: second }),
      return_token_type_ids: true as const,
    };
    const { ids, token_type_ids: types } = this.#tokenizer.encode(first, options);
    const probe = this.#idsOf(PROBE);
    const marks: Marks[] = [];
    let from = 0;
    for (const _ of texts) {
      const at = indexOfRun(ids, probe, from);
      if (at < 0) throw new Error('the tokenizer encodes a word differently depending on its context');
      marks.push({ ids: ids.slice(from, at), types: types.slice(from, at + probe.length) });
      from = at + probe.length;
    }
    return [...marks, { ids: ids.slice(from), types: types.slice(from) }];
  }
}

function indexOfRun(ids: readonly number[], run: readonly number[], from: number): number {
  for (let at = from; at + run.length <= ids.length; at++) {
    if (run.every((id, offset) => ids[at + offset] === id)) return at;
  }
  return -1;
}

function marksCount(marks: readonly Marks[]): number {
  return marks.reduce((sum, { ids }) => sum + ids.length, 0);
}

function framed(
  marks: readonly Marks[],
  texts: readonly (readonly number[])[],
  tokens: number,
): TokenSequence {
  const ids: number[] = [];
  const types: number[] = [];
  for (const [position, mark] of marks.entries()) {
    ids.push(...mark.ids);
    types.push(...mark.types.slice(0, mark.ids.length));
    const text = texts[position] ?? [];
    // The type of the probe follows those of the special tokens before it.
    const type = mark.types[mark.ids.length] ?? 0;
    for (const id of text) {
      ids.push(id);
      types.push(type);
    }
  }
  return { ids, types, tokens: Math.max(1, tokens) };
}
