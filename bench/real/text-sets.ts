// Sets of texts that machines have, embedded by a real model: paragraphs of manuals, and descriptions of packages.
import { readFileSync } from 'node:fs';
import { corpusPath } from '../text/corpus/corpus.ts';
import { embeddedRows } from './embedded-rows.ts';
import { MINILM_DIMENSION } from './minilm.ts';
import { packageDescriptions } from './package-descriptions.ts';
import { germanTexts, phrasesOf } from './query-texts.ts';
import { meansOfTwo, type RealSet, readRows, type SetSize } from './row-set.ts';

/** Texts kept for queries of each kind, at the end of a corpus. */
const QUERIES_MAX = 1_000;

/** Glosses, definitions and paragraphs of manuals; the set that the engine was tuned on. */
export async function paragraphsSet(size: SetSize): Promise<RealSet> {
  const all = readFileSync(await corpusPath('short'), 'utf8').split('\n');
  const texts = all.filter((text) => text !== '');
  return textSet('paragraphs', texts, size);
}

/** Descriptions of packages, held out of tuning. */
export async function packagesSet(size: SetSize): Promise<RealSet> {
  return textSet('packages', scattered(packageDescriptions('en')), size);
}

/** In an order that has nothing to do with names, so that the first few are like all. */
function scattered(texts: readonly string[]): readonly string[] {
  const rank = (at: number) => Math.imul(at + 1, 0x9e3779b1) >>> 0;
  return [...texts.entries()].sort(([a], [b]) => rank(a) - rank(b)).map(([, text]) => text);
}

async function textSet(
  name: string,
  texts: readonly string[],
  { records, queries }: SetSize,
): Promise<RealSet> {
  const base = texts.slice(0, Math.min(records, texts.length - 3 * QUERIES_MAX));
  const asked = texts.slice(-2 * QUERIES_MAX, -QUERIES_MAX);
  const phrases = phrasesOf(texts.slice(-3 * QUERIES_MAX, -2 * QUERIES_MAX));
  const rowsOf = async (kind: string, kindTexts: readonly string[], count: number) =>
    readRows(await embeddedRows(kind, kindTexts), MINILM_DIMENSION, count);
  const same = await rowsOf(`${name}-same`, asked, queries);
  return {
    name,
    metric: 'cosine',
    dimension: MINILM_DIMENSION,
    kinds: new Map([
      ['same', same],
      ['short phrases', await rowsOf(`${name}-phrases`, phrases, queries)],
      ['German', await rowsOf('german', germanTexts(QUERIES_MAX), queries)],
      ['means of two', meansOfTwo(same)],
    ]),
    base: await rowsOf(name, base, base.length),
  };
}
