// Search of one segment by a text query: posting lists find and bound the candidates, the forward index has the exact
// answer.

import type { QuerySteps } from '../../../domain/full-text/query-steps.ts';
import type {
  BoundNode,
  BoundPhraseTerm,
  BoundQuery,
} from '../../../domain/full-text/scoring/bound-query.ts';
import type { QueryExplain } from '../../../domain/query-explain.ts';
import type { SparseVector } from '../../port/reader-and-writer.ts';
import { bitmaps, intersect, invert, setBits, unite } from '../filters/bitmap.ts';
import { SPARSE_TERMS_MAX } from '../kernels/layout.ts';
import { PostingListSearch } from '../sparse/posting-list-search.ts';
import type { Chunk, ExactScores } from '../sparse/posting-list-source.ts';
import { isConjunction, requiredTerms } from '../text/required-terms.ts';
import { SegmentTerms } from '../text/segment-terms.ts';
import { constantScore, isAnyTerm, needsTerm, scoreBounds } from '../text/term-weights.ts';
import { globalSlot, type Selection } from './selection.ts';
import type { TopK } from './top-k.ts';

/** Terms of one search of posting lists. */
export const LIST_TERMS_MAX = SPARSE_TERMS_MAX;
/** Slots of a chunk that are scored one by one rather than by lists: decoding a text costs 1 to 2 µs (measured). */
const SCORED_SINGLY_MAX = 8;

export interface TextTarget {
  readonly selection: Selection;
  readonly bound: BoundQuery;
  /** Numbers of the text fields, by name. */
  readonly fields: ReadonlyMap<string, number>;
  readonly steps: QuerySteps;
}

export class TextSearch {
  readonly #selection: Selection;
  readonly #bound: BoundQuery;
  readonly #fields: ReadonlyMap<string, number>;
  readonly #terms: SegmentTerms;

  constructor({ selection, bound, fields, steps }: TextTarget) {
    this.#selection = selection;
    this.#bound = bound;
    this.#fields = fields;
    this.#terms = new SegmentTerms(selection.view.texts, bound, { fields, steps });
  }

  /**
   * Offers the best of the selected slots, with all that tie with the last, to `top`; where all have the same score, the
   * first ones. Narrows the selection.
   */
  search(top: TopK, explain: QueryExplain | null): void {
    const { root } = this.#bound;
    const constant = constantScore(root);
    if (!isAnyTerm(root)) this.#narrowToRequired();
    if (constant !== null || !(isAnyTerm(root) || isConjunction(root))) this.#narrow();
    if (constant !== null) {
      this.#offerFirst(constant, top);
      return;
    }
    const { weights, constant: rest } = scoreBounds(root);
    const scores: ExactScores = {
      scoreOf: (slot) => {
        if (explain !== null) explain.rowsScored++;
        return this.#terms.scoreOf(slot) ?? Number.NaN;
      },
      scoreUnindexed: (_, { offer }) =>
        this.#visitUnlisted((slot) => this.#offer(scores.scoreOf(slot), slot, offer)),
    };
    const sink = {
      capacity: top.capacity,
      get bound() {
        return top.bound;
      },
      offer: (key: number, slot: number) => top.offer(key, globalSlot(this.#selection, slot)),
    };
    if (needsTerm(root) && weights.size <= LIST_TERMS_MAX)
      this.#lists(this.#weighted(weights), scores, rest).search(sink);
    else
      for (const slot of setBits(this.#selection.bitmap, this.#selection.words))
        this.#offer(scores.scoreOf(slot), slot, sink.offer);
  }

  /** The selected slots that match, as a bitmap from the pool. */
  matching(): Uint32Array {
    const matching = this.#listed(this.#bound.root);
    this.#visitUnlisted((slot) => {
      const word = slot >>> 5;
      const bit = 1 << (slot & 31);
      const isMatch = this.#terms.scoreOf(slot) !== null;
      matching[word] = isMatch ? (matching[word] ?? 0) | bit : (matching[word] ?? 0) & ~bit;
    });
    return matching;
  }

  /** Offers as many of the selected slots as are wanted, the oldest ones: all have the same score. */
  #offerFirst(score: number, top: TopK): void {
    let left = top.capacity;
    for (const slot of setBits(this.#selection.bitmap, this.#selection.words)) {
      if (left-- === 0) return;
      top.offer(Math.fround(score), globalSlot(this.#selection, slot));
    }
  }

  /**
   * Keeps the slots that have every term without which no record matches. The rarest come first, so that the long lists of
   * common terms are read only where the others have left many slots.
   */
  #narrowToRequired(): void {
    const { texts } = this.#selection.view;
    const holders = (term: number) => {
      const number = this.#terms.numbers[term] ?? null;
      return number === null ? 0 : texts.holdersOf(number);
    };
    const terms = [...requiredTerms(this.#bound.root)].sort((a, b) => holders(a) - holders(b));
    for (const term of terms) {
      const matching = this.#sharing([{ term, offset: 0 }]);
      this.#visitUnlisted((slot) => {
        matching[slot >>> 5] = (matching[slot >>> 5] ?? 0) | (1 << (slot & 31));
      });
      this.#selection.narrow(matching);
      bitmaps.give(matching);
    }
  }

  #narrow(): void {
    const matching = this.matching();
    this.#selection.narrow(matching);
    bitmaps.give(matching);
  }

  #offer(score: number, slot: number, offer: (key: number, slot: number) => void): void {
    if (!Number.isNaN(score)) offer(score, slot);
  }

  /** The slots in chunks that match a node; bits of other slots are undefined. */
  #listed(node: BoundNode): Uint32Array {
    const { slotCount } = this.#selection.snapshot;
    switch (node.kind) {
      case 'none':
        return bitmaps.take(slotCount);
      case 'all':
        return everySlot(slotCount);
      case 'term':
        return this.#sharing([{ term: node.term, offset: 0 }]);
      case 'boost':
        return this.#listed(node.node);
      case 'phrase':
        return this.#confirmed(node, this.#allOf(node.terms));
      case 'anyOf': {
        const lasts = this.#sharing(node.lasts);
        if (node.phrase.length === 0) return lasts;
        return this.#confirmed(node, this.#intersected(lasts, this.#allOf(node.phrase)));
      }
      case 'bool':
        return this.#listedBool(node);
    }
  }

  #listedBool({ must, should, mustNot }: Extract<BoundNode, { readonly kind: 'bool' }>): Uint32Array {
    const [first, ...rest] = must;
    let matching: Uint32Array;
    if (first !== undefined) {
      matching = this.#listed(first);
      for (const node of rest) matching = this.#intersected(matching, this.#listed(node));
    } else {
      matching = bitmaps.take(this.#selection.snapshot.slotCount);
      for (const node of should) {
        const other = this.#listed(node);
        unite(matching, other);
        bitmaps.give(other);
      }
    }
    for (const node of mustNot) {
      const other = this.#listed(node);
      invert(other, this.#selection.snapshot.slotCount);
      matching = this.#intersected(matching, other);
    }
    return matching;
  }

  /** The slots that have every term. */
  #allOf(terms: readonly BoundPhraseTerm[]): Uint32Array {
    let matching: Uint32Array | null = null;
    for (const term of terms) {
      const other = this.#sharing([term]);
      matching = matching === null ? other : this.#intersected(matching, other);
    }
    return matching ?? everySlot(this.#selection.snapshot.slotCount);
  }

  #intersected(matching: Uint32Array, other: Uint32Array): Uint32Array {
    intersect(matching, other);
    bitmaps.give(other);
    return matching;
  }

  /** Keeps the slots that a node really matches. */
  #confirmed(node: BoundNode, matching: Uint32Array): Uint32Array {
    for (const slot of setBits(matching, matching.length))
      if (this.#terms.scoreOf(slot, node) === null)
        matching[slot >>> 5] = (matching[slot >>> 5] ?? 0) & ~(1 << (slot & 31));
    return matching;
  }

  /** The slots in chunks that have any of the terms. */
  #sharing(terms: readonly BoundPhraseTerm[]): Uint32Array {
    const matching = bitmaps.take(this.#selection.snapshot.slotCount);
    const node: BoundNode = { kind: 'anyOf', phrase: [], lasts: terms };
    const scores: ExactScores = {
      scoreOf: (slot) => this.#terms.scoreOf(slot, node) ?? Number.NaN,
      scoreUnindexed: () => {},
    };
    for (let first = 0; first < terms.length; first += LIST_TERMS_MAX) {
      const batch = terms.slice(first, first + LIST_TERMS_MAX);
      this.#lists(this.#weighted(new Map(batch.map(({ term }) => [term, 1]))), scores, 0).visitSharing(
        (slot) => {
          matching[slot >>> 5] = (matching[slot >>> 5] ?? 0) | (1 << (slot & 31));
        },
      );
    }
    return matching;
  }

  /** Weights of the terms that this segment has, as a vector. */
  #weighted(weights: ReadonlyMap<number, number>): SparseVector {
    const entries = [...weights]
      .flatMap(([term, weight]) => {
        const number = this.#terms.numbers[term] ?? null;
        return number === null ? [] : [{ number, weight }];
      })
      .sort((a, b) => a.number - b.number);
    return {
      indices: Uint32Array.from(entries, ({ number }) => number),
      values: Float32Array.from(entries, ({ weight }) => weight),
    };
  }

  #lists(sparse: SparseVector, scores: ExactScores, constant: number): PostingListSearch {
    const { workspace, layout, snapshot, bitmap, view } = this.#selection;
    if (layout.postings === null) throw new Error('a text search needs memory for posting lists');
    const source = {
      words: (endByte: number) => workspace.arena.words(endByte),
      chunks: sparse.indices.length === 0 ? [] : view.texts.chunks.map((chunk) => this.#scaled(chunk)),
    };
    return new PostingListSearch(
      source,
      {
        kernel: workspace.kernel,
        sparse,
        bitmap: bitmap.byteOffset,
        slotCount: snapshot.slotCount,
        scratch: layout.postings,
        constant,
        scoredSinglyMax: SCORED_SINGLY_MAX,
      },
      scores,
    );
  }

  /** Impacts grow with the average length: where it has grown, their bounds do. */
  #scaled(chunk: Chunk & { readonly averages: readonly number[] }): Chunk {
    let scale = 1;
    for (const [field, average] of this.#averages()) {
      const then = chunk.averages[field] ?? 0;
      if (then > 0) scale = Math.max(scale, average / then);
    }
    return { ...chunk, scale };
  }

  #averagesKnown: ReadonlyMap<number, number> | null = null;

  /** The average lengths of the query's fields now, in the whole namespace. */
  #averages(): ReadonlyMap<number, number> {
    this.#averagesKnown ??= new Map(
      this.#bound.statistics.flatMap(([name, { tokens, records }]) => {
        const field = this.#fields.get(name);
        return field === undefined || records === 0 ? [] : [[field, tokens / records] as const];
      }),
    );
    return this.#averagesKnown;
  }

  #visitUnlisted(visitor: (slot: number) => void): void {
    const { view, snapshot, bitmap } = this.#selection;
    view.texts.visitUnlisted(snapshot.slotCount, (slot) => {
      if ((((bitmap[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1) visitor(slot);
    });
  }
}

function everySlot(slotCount: number): Uint32Array {
  const every = bitmaps.take(slotCount);
  invert(every, slotCount);
  return every;
}
