// Measures full-text search of one namespace in memory: writes, memory, and queries of several kinds, on real texts.
//
// BENCH_TEXTS names a file with one text a line. Writes include the commits to disk of batches of 1,000.
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyzerOf } from '../../src/domain/full-text/analysis/analyzer.ts';
import type { TextAnalysis } from '../../src/domain/full-text/text-analysis.ts';
import type { TextQuery } from '../../src/domain/full-text/text-query.ts';
import { anyOf, document, phrase, TEXTS_ONLY, term } from '../../src/engine/conformance/document-data.ts';
import { sampleProfile, sampleQuery } from '../../src/engine/conformance/sample-data.ts';
import { openInProcess } from '../../src/engine/embedded/in-process-index.ts';
import { Random } from '../../src/engine/embedded/kernels/testing/hard-vectors.ts';
import { machine, percentile } from '../support/figures.ts';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 100_000);
const QUERIES = 200;
const BATCH = 1_000;
const ANALYSIS: TextAnalysis = { language: 'en', stemming: false, stopWords: false, ngram: null };

const path = process.env.BENCH_TEXTS;
if (path === undefined) throw new Error('set BENCH_TEXTS to a file with one text a line');
const texts = readFileSync(path, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .slice(0, RECORDS);
const random = new Random(3);
const words = texts.map((text) =>
  analyzerOf(ANALYSIS)
    .tokens(text)
    .map((token) => token.term),
);
const tokens = words.reduce((sum, each) => sum + each.length, 0);
const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-text-'));
const index = openInProcess(sampleProfile(TEXTS_ONLY), folder, { directRecordsMax: 0 });

try {
  console.log(JSON.stringify(machine()));
  await index.writer.upsert('', [document('first', { text: texts[0] ?? '' }, null)]);
  await index.reader.query(sampleQuery({ text: term('text', 'a') }));
  const start = performance.now();
  for (let first = 0; first < texts.length; first += BATCH)
    await index.writer.upsert(
      '',
      texts.slice(first, first + BATCH).map((text, i) => document(`r${first + i}`, { text }, null)),
    );
  const seconds = (performance.now() - start) / 1_000;
  const bytes = index.parts.figures().memory;
  console.log(`${texts.length} texts, ${(tokens / texts.length).toFixed(1)} tokens each`);
  console.log(`written: ${Math.round(texts.length / seconds)} a second`);
  console.log(`memory: ${Math.round((bytes?.texts ?? 0) / texts.length)} bytes a text`);
  for (const [name, make] of Object.entries(kinds())) await measure(name, make);
} finally {
  await index.close();
  rmSync(folder, { recursive: true });
}

/** Queries of each kind, of words and phrases that some text has. */
function kinds(): Readonly<Record<string, () => TextQuery>> {
  const some = (): readonly string[] => words[random.integer(words.length)] ?? [];
  const word = (): string => {
    const all = some();
    return all[random.integer(Math.max(1, all.length))] ?? 'a';
  };
  const terms = (count: number) => Array.from({ length: count }, () => term('text', word()));
  return {
    'one term': () => term('text', word()),
    'any of two terms': () => anyOf(...terms(2)),
    'any of five terms': () => anyOf(...terms(5)),
    'all of two terms of a text': () => {
      const [a = 'a', b = 'b'] = some();
      return { kind: 'bool', must: [term('text', a), term('text', b)], should: [], mustNot: [] };
    },
    'phrase of two terms': () => {
      const all = some();
      const at = random.integer(Math.max(1, all.length - 1));
      return phrase('text', [all[at] ?? 'a', all[at + 1] ?? 'b']);
    },
    fuzzy: () => ({ kind: 'fuzzy', field: 'text', term: word(), editsMax: 1 }),
    everything: () => ({ kind: 'all' }),
  };
}

async function measure(name: string, make: () => TextQuery): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < QUERIES; i++) {
    const request = sampleQuery({ text: make() });
    const start = performance.now();
    await index.reader.query(request);
    times.push(performance.now() - start);
  }
  const ms = (share: number) => percentile(times, share).toFixed(2);
  console.log(`${name}: median ${ms(0.5)} ms, 99 % ${ms(0.99)} ms`);
}
