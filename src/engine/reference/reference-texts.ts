// Full-text search of the reference model: analyzes every text again for each query.
import { analyzerOf } from '../../domain/full-text/analysis/analyzer.ts';
import { bindQuery } from '../../domain/full-text/scoring/bound-query.ts';
import { evaluate, type Scores } from '../../domain/full-text/scoring/evaluate.ts';
import { scoreMax } from '../../domain/full-text/scoring/score-max.ts';
import { boundedExpansion, expansionOf, matchesTerm } from '../../domain/full-text/scoring/term-matcher.ts';
import { TextCollection } from '../../domain/full-text/scoring/text-collection.ts';
import { type SearchedIndex, searchedTextsOf } from '../../domain/full-text/searched-texts.ts';
import type { TextAnalysis, Token } from '../../domain/full-text/text-analysis.ts';
import type { TextQuery } from '../../domain/full-text/text-query.ts';
import { parseMetadata } from '../../domain/records/metadata.ts';
import type { StoredRecord } from '../port/reader-and-writer.ts';

export class ReferenceTexts {
  readonly #texts: TextCollection;
  readonly #scores = new Map<TextQuery, Scores>();

  /** Analyzes all records of a namespace. */
  constructor(records: Iterable<StoredRecord>, index: SearchedIndex) {
    const fields = searchedTextsOf(index);
    this.#texts = new TextCollection(
      new Map(Array.from(records, (record) => [record.id, tokensOf(record, fields)])),
    );
  }

  /** The score of every record that matches, by id. @throws invalid-argument for too many expansions */
  scores(query: TextQuery): Scores {
    const known = this.#scores.get(query) ?? evaluate(query, this.#texts);
    this.#scores.set(query, known);
    return known;
  }

  /** See scoring/score-max.ts. */
  scoreMax(query: TextQuery): number {
    return scoreMax(
      bindQuery(query, {
        statistics: (field) => this.#texts.field(field).statistics,
        holders: ({ field, term }) => this.#texts.field(field).holdersOf(term).size,
        expand: (expanding) => {
          const expansion = expansionOf(expanding);
          const terms = this.#texts.field(expanding.field).terms();
          return boundedExpansion(
            expansion,
            terms.filter((term) => matchesTerm(expansion, term)),
          );
        },
      }),
    );
  }
}

function tokensOf(
  { metadataJson }: StoredRecord,
  fields: ReadonlyMap<string, TextAnalysis>,
): ReadonlyMap<string, readonly Token[]> {
  const metadata = parseMetadata(metadataJson);
  const tokens = new Map<string, readonly Token[]>();
  for (const [field, analysis] of fields) {
    const text = Object.hasOwn(metadata, field) ? metadata[field] : undefined;
    if (typeof text === 'string') tokens.set(field, analyzerOf(analysis).tokens(text));
  }
  return tokens;
}
