// Hybrid searches over HTTP, words and meaning fused by rank, from several clients at once. Run: npm run bench:hybrid
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settled } from '../inference/settled.ts';
import { type Figure, machine, percentile, table } from '../support/figures.ts';
import { startService } from '../support/service.ts';
import { takeTexts } from '../text/corpus/corpus.ts';
import { DocumentIndex } from './document-index.ts';

const DOCUMENTS = Number(process.env.BENCH_RECORDS ?? 100_000);
const CLIENTS = 16;
const LOAD_MS = 20_000;
const WARM_UP_MS = 3_000;
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
  const times: number[] = [];
  const started = performance.now();
  const elapsedMs = () => performance.now() - started;
  const client = async (number: number) => {
    for (let turn = 0; elapsedMs() < WARM_UP_MS + LOAD_MS; turn++) {
      const query = wordsOf(texts[(turn * CLIENTS + number) % texts.length] ?? '');
      const sent = performance.now();
      const clauses = kind.clauses.map((type) => clauseOf(type, query));
      await index.search(clauses, { topK: TOP_K, more: clauses.length > 1 ? { fusion: {} } : {} });
      if (sent - started > WARM_UP_MS) times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  const p99 = percentile(times, 0.99);
  const perSecond = (1_000 * times.length) / LOAD_MS;
  return {
    what: kind.name,
    goal: kind.p99MsMax === null ? null : `p99 <= ${kind.p99MsMax} ms`,
    measured: `p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)}, ${perSecond.toFixed(0)}/s`,
    met: kind.p99MsMax === null || p99 <= kind.p99MsMax,
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
