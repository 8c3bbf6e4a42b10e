// Compares full-text search with tantivy on generated texts and queries: same matches, same top ten (npm run test:tantivy).
import { Fault } from '../../../faults.ts';
import { analyzerOf } from '../../analysis/analyzer.ts';
import { queryOfString } from '../../query-string/query-string.ts';
import { evaluate, type Scores } from '../../scoring/evaluate.ts';
import { TextCollection } from '../../scoring/text-collection.ts';
import type { TextAnalysis } from '../../text-analysis.ts';
import { differenceBetween } from './differences.ts';
import { CONSTRUCT_NAMES, type GeneratedQuery, generateQuery } from './generate-queries.ts';
import { EXACT_LENGTH_MAX, FIELDS, type GeneratedText, generateTexts } from './generate-texts.ts';
import { Choices } from './random.ts';
import { CannotInstall, TANTIVY_VERSION, TantivyProcess } from './tantivy-process.ts';

const isShort = process.argv.includes('--short');
const QUERIES = isShort ? 2_000 : 21_000;
const TEXTS = isShort ? 200 : 400;
const SEED = 31;
const SHOWN_MAX = 20;

const PLAIN: TextAnalysis = { language: 'en', stemming: false, stopWords: false, ngram: null };
const ANALYSES = new Map(FIELDS.map((field) => [field, PLAIN]));

function main(): number {
  try {
    using tantivy = new TantivyProcess();
    return compare(tantivy);
  } catch (error) {
    if (!(error instanceof CannotInstall)) throw error;
    process.stdout.write(`SKIPPED: tantivy ${TANTIVY_VERSION} cannot be installed: ${error.message}\n`);
    return 0;
  }
}

function compare(tantivy: TantivyProcess): number {
  const choices = new Choices(SEED);
  const texts = generateTexts(choices, TEXTS);
  const queries = Array.from({ length: QUERIES }, (_, at) =>
    generateQuery(choices, CONSTRUCT_NAMES[at % CONSTRUCT_NAMES.length] ?? 'words'),
  );
  const answers = tantivy.answer(texts, queries);
  const collection = collectionOf(texts);
  const rounded = new Set(collection.records.filter((id) => hasLongField(collection, id)));
  const differing = new Map<string, string[]>(CONSTRUCT_NAMES.map((name) => [name, []]));
  for (const [at, query] of queries.entries()) {
    const theirs = answers[at] ?? { error: 'no answer' };
    const difference = differenceBetween(answer(query, collection), theirs, {
      exceptions: query.exceptions,
      rounded,
    });
    if (difference !== null) differing.get(query.construct)?.push(`${query.text}\n    ${difference}`);
  }
  return report(differing);
}

function collectionOf(texts: readonly GeneratedText[]): TextCollection {
  const { tokens } = analyzerOf(PLAIN);
  return new TextCollection(
    new Map(
      texts.map((text) => [text.id, new Map(FIELDS.map((field) => [field, tokens(text[field] ?? '')]))]),
    ),
  );
}

function hasLongField(collection: TextCollection, id: string): boolean {
  return FIELDS.some((field) => collection.field(field).lengthOf(id) > EXACT_LENGTH_MAX);
}

function answer({ text }: GeneratedQuery, collection: TextCollection): Scores | Fault {
  try {
    return evaluate(queryOfString(text, ANALYSES), collection);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

function report(differing: ReadonlyMap<string, readonly string[]>): number {
  for (const [construct, queries] of differing) {
    process.stdout.write(`${construct}: ${queries.length} differ\n`);
    for (const query of queries.slice(0, SHOWN_MAX)) process.stdout.write(`  ${query}\n`);
  }
  const count = [...differing.values()].flat().length;
  process.stdout.write(
    `${count} of ${QUERIES} queries over ${TEXTS} texts differ from tantivy ${TANTIVY_VERSION}.\n`,
  );
  return count === 0 ? 0 : 1;
}

process.exitCode = main();
