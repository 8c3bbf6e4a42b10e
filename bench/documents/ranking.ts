// How well document searches rank, by words, by meaning and fused, beside tantivy's BM25 on the same sets. Run: npm run bench:ranking
import '../../src/boot/runtime-flags.ts';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MANUAL_PAGES } from '../retrieval/folders.ts';
import { heldOutSets } from '../retrieval/held-out-sets.ts';
import { qualityOf } from '../retrieval/measures.ts';
import { documentation, manualPages, paraphrases, type RetrievalSet } from '../retrieval/sets.ts';
import { machine } from '../support/figures.ts';
import { type Service, startService } from '../support/service.ts';
import { PROGRAMS } from '../text/engines/programs.ts';
import { type Clause, DocumentIndex } from './document-index.ts';

const PORTS = { base: 15_780 };
const TOP = 100;
const MODEL = 'llama-text-embed-v2';
const FIELDS = {
  plain: { type: 'string', full_text_search: {} },
  stemmed: { type: 'string', full_text_search: { stemming: true } },
  meaning: { type: 'string', embed: { model: MODEL }, store_text: false },
};

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-'));
const agent = new Agent({ keepAlive: true });
const service = await startService(folder, PORTS);
try {
  console.log(machine());
  const manual = manualPages(MANUAL_PAGES);
  if (manual === null) console.log('no manual pages: npm run bench:retrieval:fetch fetches them');
  const sets = [
    ...(manual === null ? [] : [manual]),
    documentation(),
    paraphrases(),
    ...heldOutSets(MANUAL_PAGES),
  ];
  for (const [at, set] of sets.entries()) await compare(set, { service, name: `set-${at}` });
} finally {
  await service.stop();
  agent.destroy();
  rmSync(folder, { recursive: true });
}

async function compare(
  set: RetrievalSet,
  { service, name }: { readonly service: Service; readonly name: string },
): Promise<void> {
  const index = await DocumentIndex.create(agent, service, { name, fields: FIELDS });
  await index.fill(set.passages.map((text) => ({ plain: text, stemmed: text, meaning: text })));
  const words = (field: string) => (query: string) => ({ type: 'text', fields: [field], query });
  const meaning = (query: string) => ({ type: 'embed', fields: ['meaning'], query });
  const ours = (clauses: readonly ((query: string) => Clause)[], more = {}) =>
    rankingsOf(set, (query) =>
      index.search(
        clauses.map((clause) => clause(query)),
        { topK: TOP, more },
      ),
    );
  console.log(`\n### ${set.name}: ${set.queries.length} queries, ${set.passages.length} passages\n`);
  console.log('| ranking | nDCG@10 | recall@100 | MRR@10 |\n|---|---|---|---|');
  print(set, 'tantivy, words', await tantivyRankings(set, false));
  print(set, 'Pinyon, words', await ours([words('plain')]));
  print(set, 'tantivy, stems', await tantivyRankings(set, true));
  print(set, 'Pinyon, stems', await ours([words('stemmed')]));
  print(set, 'Pinyon, meaning', await ours([meaning]));
  const both = [words('stemmed'), meaning];
  print(set, 'Pinyon, stems and meaning by rank', await ours(both, { fusion: {} }));
  print(
    set,
    'Pinyon, stems and meaning by weighted scores',
    await ours(both, { fusion: { method: 'weighted' } }),
  );
}

async function rankingsOf(
  { queries }: RetrievalSet,
  search: (query: string) => Promise<readonly number[]>,
): Promise<readonly (readonly number[])[]> {
  const rankings: (readonly number[])[] = [];
  for (const { text } of queries) rankings.push(await search(text));
  return rankings;
}

async function tantivyRankings(
  { passages, queries }: RetrievalSet,
  stemming: boolean,
): Promise<readonly (readonly number[])[]> {
  const program = await PROGRAMS.tantivy?.();
  const script = fileURLToPath(new URL('tantivy_ranking.py', import.meta.url));
  const { stdout, stderr, status } = spawnSync(program?.command ?? 'python3', [script], {
    input: JSON.stringify({ passages, queries: queries.map(({ text }) => text), stemming }),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`tantivy ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as readonly (readonly number[])[];
}

function print(set: RetrievalSet, name: string, rankings: readonly (readonly number[])[]): void {
  const ranks = set.queries.map(({ answer }, at) => {
    const rank = rankings[at]?.indexOf(answer) ?? -1;
    return rank < 0 ? Number.POSITIVE_INFINITY : rank;
  });
  const { ndcg10, recall100, mrr10 } = qualityOf(ranks);
  console.log(`| ${name} | ${[ndcg10, recall100, mrr10].map((figure) => figure.toFixed(4)).join(' | ')} |`);
}
