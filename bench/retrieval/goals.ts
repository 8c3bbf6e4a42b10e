// Compares the ranking of assistants with stemmed BM25, and beside a local model with both alone. Run: npm run bench:retrieval:goals
import '../../src/boot/runtime-flags.ts';
import { openMiniLm } from '../real/minilm.ts';
import { machine } from '../support/figures.ts';
import { type AsyncRanker, assistantRanker, stemmedRanker } from './assistant-rankers.ts';
import { MANUAL_PAGES } from './folders.ts';
import { heldOutSets } from './held-out-sets.ts';
import { qualityOf, rankOf } from './measures.ts';
import { denseRanker, type Ranker } from './rankers.ts';
import { documentation, manualPages, paraphrases, type RetrievalSet } from './sets.ts';

const DIMENSION = 1_024;
const GAIN_MIN = 0.02;
const BATCH = 16;

type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

/** Inner products of a model's vectors, which have the length 1; queries are embedded first, all together. */
async function modelRanker({ passages, queries }: RetrievalSet, embed: Embed): Promise<Ranker> {
  const texts = queries.map(({ text }) => text);
  const [vectors, wanted] = [await inBatches(passages, embed), await inBatches(texts, embed)];
  const byText = new Map(texts.map((text, at) => [text, wanted[at]]));
  return (query) =>
    Float64Array.from(vectors, (vector) => {
      const other = byText.get(query);
      return vector.reduce((sum, value, at) => sum + value * (other?.[at] ?? 0), 0);
    });
}

async function inBatches(texts: readonly string[], embed: Embed): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let at = 0; at < texts.length; at += BATCH)
    vectors.push(...(await embed(texts.slice(at, at + BATCH))));
  return vectors;
}

async function ndcg({ queries }: RetrievalSet, ranker: Ranker | AsyncRanker): Promise<number> {
  const ranks: number[] = [];
  for (const { text, answer } of queries) ranks.push(rankOf(await ranker(text), answer));
  return qualityOf(ranks).ndcg10;
}

async function row(set: RetrievalSet, embed: Embed | null): Promise<string> {
  const { name, passages, queries } = set;
  const words = await ndcg(set, stemmedRanker(passages));
  const builtIn = await ndcg(set, assistantRanker(passages, denseRanker(passages, DIMENSION)));
  const cells = [words, builtIn, builtIn - words];
  const verdicts = [builtIn - words >= GAIN_MIN];
  if (embed !== null) {
    const near = await modelRanker(set, embed);
    const alone = await ndcg(set, near);
    const both = await ndcg(set, assistantRanker(passages, near, 'model'));
    cells.push(alone, both);
    verdicts.push(both > Math.max(alone, words));
  }
  const [gain = '', beside] = verdicts.map((isMet) => (isMet ? 'met' : '**missed**'));
  const [first, second, third, ...model] = cells.map((cell) => cell.toFixed(4));
  return `| ${[`${name} (${queries.length})`, first, second, third, gain, ...model, beside].filter(Boolean).join(' | ')} |`;
}

const embed = process.argv.includes('--built-in') ? null : await openMiniLm();
console.log(machine());
const manual = manualPages(MANUAL_PAGES);
if (manual === null) console.log('no manual pages: npm run bench:retrieval:fetch');
const head = ['set (queries)', 'stemmed BM25', 'assistants', 'gain', `>= ${GAIN_MIN}`];
const columns =
  embed === null ? head : [...head, 'MiniLM alone', 'assistants beside it', 'better than either'];
console.log(`| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`);
const all = [
  ...(manual === null ? [] : [manual]),
  documentation(),
  paraphrases(),
  ...heldOutSets(MANUAL_PAGES),
];
for (const set of all) if (isChosen(set)) console.log(await row(set, embed));

/** Words after the command choose sets by their names. */
function isChosen({ name }: RetrievalSet): boolean {
  const words = process.argv.slice(2).filter((each) => !each.startsWith('--'));
  return words.length === 0 || words.some((word) => name.includes(word));
}
