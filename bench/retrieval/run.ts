// Prints how well the built-in encoders find answers, beside a library's BM25. BENCH_DIMENSION: default 1024.
import '../../src/boot/runtime-flags.ts';
import { machine } from '../support/figures.ts';
import {
  type AsyncRanker,
  assistantRanker,
  integratedRanker,
  stemmedRanker,
  termsRanker,
} from './assistant-rankers.ts';
import { MANUAL_PAGES } from './folders.ts';
import { heldOutSets } from './held-out-sets.ts';
import { qualityOf, rankOf } from './measures.ts';
import {
  denseRanker,
  hybridRanker,
  libraryRanker,
  type Ranker,
  reranked,
  rerankedBoth,
  sparseRanker,
} from './rankers.ts';
import { documentation, manualPages, paraphrases, type RetrievalSet } from './sets.ts';
import { printSpeed } from './speed.ts';

const DIMENSION = Number(process.env.BENCH_DIMENSION ?? 1_024);

function rankersOf(passages: readonly string[]): ReadonlyMap<string, Ranker | AsyncRanker> {
  const dense = denseRanker(passages, DIMENSION);
  const words = sparseRanker(passages, 'words');
  const expanded = sparseRanker(passages, 'expanded words');
  const stems = sparseRanker(passages, 'stems');
  const first: readonly (readonly [string, Ranker])[] = [
    [`dense ${DIMENSION}`, dense],
    ['sparse, words', words],
    ['sparse, expanded words', expanded],
    ['sparse, stems', stems],
  ];
  return new Map<string, Ranker | AsyncRanker>([
    ['MiniSearch BM25', libraryRanker(passages)],
    ['stemmed BM25', stemmedRanker(passages)],
    ['text search of sparse indexes', integratedRanker(passages)],
    ['terms of assistants, BM25', termsRanker(passages)],
    ['assistants', assistantRanker(passages, dense)],
    ...first.flatMap(([name, ranker]): readonly (readonly [string, Ranker])[] => [
      [name, ranker],
      [`${name} + rerank`, reranked(ranker, passages)],
    ]),
    ['hybrid, words', hybridRanker(dense, words)],
    ['hybrid, expanded words', hybridRanker(dense, expanded)],
    ['hybrid, stems', hybridRanker(dense, stems)],
    ['dense and words + rerank', rerankedBoth(dense, words, passages)],
    ['dense and expanded words + rerank', rerankedBoth(dense, expanded, passages)],
    ['dense and stems + rerank', rerankedBoth(dense, stems, passages)],
  ]);
}

async function ranksOf({ queries }: RetrievalSet, ranker: Ranker | AsyncRanker): Promise<readonly number[]> {
  const ranks: number[] = [];
  for (const { text, answer } of queries) ranks.push(rankOf(await ranker(text), answer));
  return ranks;
}

async function printSet(set: RetrievalSet, halves: boolean): Promise<void> {
  console.log(`\n### ${set.name}: ${set.queries.length} queries, ${set.passages.length} passages\n`);
  console.log(`| ranking | nDCG@10 | recall@100 | MRR@10 |${halves ? ' MRR@10, second half |' : ''}`);
  console.log(`|---|---|---|---|${halves ? '---|' : ''}`);
  for (const [name, ranker] of rankersOf(set.passages)) {
    const ranks = await ranksOf(set, ranker);
    const { ndcg10, recall100, mrr10 } = qualityOf(ranks);
    const unseen = qualityOf(ranks.filter((_, i) => i % 2 === 1)).mrr10;
    const figures = [ndcg10, recall100, mrr10, ...(halves ? [unseen] : [])];
    console.log(`| ${name} | ${figures.map((figure) => figure.toFixed(3)).join(' | ')} |`);
  }
}

console.log(machine());
const manual = manualPages(MANUAL_PAGES);
if (manual === null) console.log(`no manual pages: node bench/retrieval/fetch-manual-pages.ts fetches them`);
else await printSet(manual, false);
await printSet(documentation(), false);
await printSet(paraphrases(), true);
for (const set of heldOutSets(MANUAL_PAGES)) await printSet(set, false);
printSpeed(paraphrases().passages);
