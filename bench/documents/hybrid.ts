// Hybrid searches over HTTP, words and meaning fused by rank, from several clients at once. Run: npm run bench:hybrid
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settled } from '../inference/settled.ts';
import { httpJson } from '../peers/servers/http-wire.ts';
import { keepAsking } from '../peers/servers/load.ts';
import { type Figure, machine, table } from '../support/figures.ts';
import { startService } from '../support/service.ts';
import { takeTexts } from '../text/corpus/corpus.ts';
import { DocumentIndex } from './document-index.ts';

const DOCUMENTS = Number(process.env.BENCH_RECORDS ?? 100_000);
const CLIENTS = 16;
const LOAD_SECONDS = 20;
/** Different ones, asked in turn. */
const QUERIES = 5_000;
const QUERY_WORDS = 4;
const TOP_K = 10;
const P99_MS_GOAL = 20;
const PORTS = { base: 15_880 };
const FIELDS = {
  text: { type: 'string', full_text_search: {} },
  meaning: { type: 'string', embed: { model: 'llama-text-embed-v2' }, store_text: false },
};

interface Kind {
  readonly name: string;
  readonly clauses: readonly ('text' | 'embed')[];
  readonly p99MsMax: number | null;
}

const KINDS: readonly Kind[] = [
  { name: 'by words', clauses: ['text'], p99MsMax: null },
  { name: 'by meaning', clauses: ['embed'], p99MsMax: null },
  { name: 'fused by rank', clauses: ['text', 'embed'], p99MsMax: P99_MS_GOAL },
];

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-'));
const agent = new Agent({ keepAlive: true });
const service = await startService(folder, PORTS);
try {
  const { texts } = await takeTexts('short', DOCUMENTS);
  console.log(`${machine()}; ${DOCUMENTS} documents, ${CLIENTS} clients\n`);
  const index = await DocumentIndex.create(agent, service, { name: 'hybrid', fields: FIELDS });
  const seconds = await index.fill(texts.map((text) => ({ text, meaning: text })));
  await settled(agent, service, {
    records: DOCUMENTS,
    firstSearch: async () => void (await index.search([clauseOf('embed', 'first')], { topK: 1 })),
  });
  const rate = `${Math.round(DOCUMENTS / seconds)} documents/s`;
  const figures: Figure[] = [{ what: 'upsert, embedded', goal: null, measured: rate, met: true }];
  for (const kind of KINDS) figures.push(await measure(index, { kind, texts }));
  console.log(table(figures));
} finally {
  await service.stop();
  agent.destroy();
  rmSync(folder, { recursive: true });
}

async function measure(
  index: DocumentIndex,
  { kind, texts }: { readonly kind: Kind; readonly texts: readonly string[] },
): Promise<Figure> {
  const requests = texts.slice(0, QUERIES).map((text) => {
    const query = wordsOf(text);
    const clauses = kind.clauses.map((type) => clauseOf(type, query));
    return index.searchRequest(clauses, { topK: TOP_K, more: clauses.length > 1 ? { fusion: {} } : {} });
  });
  const lanes = await Promise.all(Array.from({ length: CLIENTS }, () => index.openLane()));
  const { qps, p50Ms, p99Ms, answers } = await keepAsking(lanes, requests, { seconds: LOAD_SECONDS });
  for (const lane of lanes) lane.close();
  for (const answer of answers.values()) httpJson(answer);
  return {
    what: kind.name,
    goal: kind.p99MsMax === null ? null : `p99 <= ${kind.p99MsMax} ms`,
    measured: `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)}, ${qps.toFixed(0)}/s`,
    met: kind.p99MsMax === null || p99Ms <= kind.p99MsMax,
  };
}

/** Every second word from the middle of a text: none of the queries is a passage word for word. */
function wordsOf(text: string): string {
  const words = text.match(/[a-z]{3,}/gi) ?? ['word'];
  const first = Math.max(0, Math.floor(words.length / 2) - QUERY_WORDS);
  return words
    .filter((_, at) => at >= first && (at - first) % 2 === 0)
    .slice(0, QUERY_WORDS)
    .join(' ');
}

function clauseOf(type: 'text' | 'embed', query: string) {
  return { type, fields: [type === 'text' ? 'text' : 'meaning'], query };
}
