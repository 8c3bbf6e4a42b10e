// The answers of searches in one form: hits with the text to show, and what the search did.

export interface Hit {
  readonly id: string;
  readonly score: number | null;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Snippets of texts, in which `<mark>` stands around words that were searched for. */
  readonly highlights: readonly string[];
}

export interface Explanation {
  readonly structure: string;
  readonly milliseconds: Readonly<Record<string, number>>;
  readonly [counter: string]: unknown;
}

export interface SearchAnswer {
  readonly result?: {
    readonly hits: readonly {
      readonly _id: string;
      readonly _score: number;
      readonly fields?: Readonly<Record<string, unknown>>;
    }[];
  };
  readonly matches?: readonly Readonly<Record<string, unknown>>[];
  readonly explain?: Explanation;
}

export function hitsOf({ result, matches = [] }: SearchAnswer): readonly Hit[] {
  if (result !== undefined) {
    return result.hits.map(({ _id: id, _score: score, fields = {} }) => ({
      id,
      score,
      fields,
      highlights: [],
    }));
  }
  return matches.map(({ _id: id, _score: score, _highlights: highlights, ...fields }) => ({
    id: String(id),
    score: typeof score === 'number' ? score : null,
    fields,
    highlights: snippetsIn(highlights),
  }));
}

function snippetsIn(highlights: unknown): readonly string[] {
  if (typeof highlights !== 'object' || highlights === null) return [];
  return Object.values(highlights)
    .flat()
    .map((each) => String(each));
}

/** How many places each hit moved up against another ranking; null for hits that it lacks. */
export function movesOf(hits: readonly Hit[], others: readonly Hit[]): ReadonlyMap<string, number | null> {
  const ranks = new Map(others.map(({ id }, rank) => [id, rank]));
  return new Map(
    hits.map(({ id }, rank) => {
      const before = ranks.get(id);
      return [id, before === undefined ? null : before - rank];
    }),
  );
}
