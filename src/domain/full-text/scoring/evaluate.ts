// The meaning of full-text queries, spelled out: a naive evaluator for few records, and the model of the engine's tests.
import { levenshteinAutomaton } from '../automata/levenshtein.ts';
import { regexAutomaton } from '../automata/regex.ts';
import type { PhraseTerm, TextQuery } from '../text-query.ts';
import { inverseDocumentFrequency, saturation } from './bm25.ts';
import { boosted } from './boosted.ts';
import { acceptedTerms, prefixedTerms } from './expand-terms.ts';
import { countPhrases } from './phrase-matches.ts';
import type { FieldTexts, Holders, TextCollection } from './text-collection.ts';

/** Scores of the records that match, by id. */
export type Scores = ReadonlyMap<string, number>;

type QueryOf<Kind extends TextQuery['kind']> = Extract<TextQuery, { readonly kind: Kind }>;

/** The records that match a query, with their scores. */
export function evaluate(query: TextQuery, texts: TextCollection): Scores {
  switch (query.kind) {
    case 'all':
      return constant(texts.records);
    case 'none':
      return new Map();
    case 'term': {
      const field = texts.field(query.field);
      return scored(countsOf(field.holdersOf(query.term)), [query.term], field);
    }
    case 'phrase': {
      const field = texts.field(query.field);
      const terms = query.terms.map(({ term }) => term);
      return scored(phraseCounts(query, field), terms, field);
    }
    case 'phrasePrefix':
      return constant(phrasePrefixHolders(query, texts.field(query.field)));
    case 'fuzzy': {
      const field = texts.field(query.field);
      return anyTerm(acceptedTerms(field.terms(), levenshteinAutomaton(query.term, query.editsMax)), field);
    }
    case 'regex': {
      const field = texts.field(query.field);
      return anyTerm(acceptedTerms(field.terms(), regexAutomaton(query.pattern)), field);
    }
    case 'boost':
      return new Map(
        [...evaluate(query.query, texts)].map(([id, score]) => [id, boosted(score, query.factor)]),
      );
    case 'bool':
      return evaluateBool(query, texts);
  }
}

function evaluateBool({ must, should, mustNot }: QueryOf<'bool'>, texts: TextCollection): Scores {
  const required = must.map((each) => evaluate(each, texts));
  const optional = should.map((each) => evaluate(each, texts));
  const excluded = new Set(mustNot.flatMap((each) => [...evaluate(each, texts).keys()]));
  const candidates = required[0]?.keys() ?? new Set(optional.flatMap((scores) => [...scores.keys()]));
  const found = new Map<string, number>();
  for (const id of candidates) {
    if (excluded.has(id) || !required.every((scores) => scores.has(id))) continue;
    found.set(id, sum([...required, ...optional].map((scores) => scores.get(id) ?? 0)));
  }
  return found;
}

/** Scores by BM25: occurrences by record, weighted by the sum of the terms' weights. */
function scored(counts: ReadonlyMap<string, number>, terms: readonly string[], field: FieldTexts): Scores {
  const { statistics } = field;
  const weight = sum(
    terms.map((term) => inverseDocumentFrequency(field.holdersOf(term).size, statistics.records)),
  );
  return new Map(
    [...counts].map(([id, count]) => [id, weight * saturation(count, field.lengthOf(id), statistics)]),
  );
}

function countsOf(holders: Holders): ReadonlyMap<string, number> {
  return new Map([...holders].map(([id, positions]) => [id, positions.length]));
}

function phraseCounts({ terms, slop }: QueryOf<'phrase'>, field: FieldTexts): ReadonlyMap<string, number> {
  const byRarity = terms
    .map(({ term, position }) => ({ holders: field.holdersOf(term), position }))
    .sort((a, b) => a.holders.size - b.holders.size);
  const counts = new Map<string, number>();
  for (const id of byRarity[0]?.holders.keys() ?? []) {
    const parts = byRarity.map(({ holders, position }) => ({
      positions: holders.get(id) ?? [],
      offset: position,
    }));
    const count = countPhrases(parts, slop);
    if (count > 0) counts.set(id, count);
  }
  return counts;
}

/** The records where the phrase ends with a term that begins with its last term. */
function phrasePrefixHolders(
  { terms, expansionsMax }: QueryOf<'phrasePrefix'>,
  field: FieldTexts,
): readonly string[] {
  const last = terms.at(-1);
  if (last === undefined) return [];
  const suffixes = prefixedTerms(field.terms(), last.term, expansionsMax);
  const phrases = suffixes.map((term): readonly PhraseTerm[] => [
    ...terms.slice(0, -1),
    { term, position: last.position },
  ]);
  return phrases.flatMap((each) => [
    ...phraseCounts({ kind: 'phrase', field: '', terms: each, slop: 0 }, field).keys(),
  ]);
}

function anyTerm(terms: readonly string[], field: FieldTexts): Scores {
  return constant(terms.flatMap((term) => [...field.holdersOf(term).keys()]));
}

function constant(ids: readonly string[]): Scores {
  return new Map(ids.map((id) => [id, 1]));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
