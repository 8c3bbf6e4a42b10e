// Many short documents through the HTTP interface: bulk import, the first search, a restart, memory and disk.
// Run: npm run bench:documents; BENCH_RECORDS=10000000 takes five minutes and 6 GB of disk.
import '../../src/boot/runtime-flags.ts';
import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { MemoryWatch } from '../backup/memory-watch.ts';
import { machine, percentile, table } from '../support/figures.ts';
import { processorSeconds } from '../support/process-load.ts';
import { processMemory } from '../support/process-memory.ts';
import { ask, type Service, startService } from '../support/service.ts';
import { takeTexts } from '../text/corpus/corpus.ts';

const DOCUMENTS = Number(process.env.BENCH_RECORDS ?? 1_000_000);
const TEXTS = Math.min(DOCUMENTS, 500_000);
const FILE_DOCUMENTS = 250_000;
const QUERY_WORDS = 3;
const QUERIES = 200;
const MEMORY_MEGABYTES_MAX = 8_000;
const READY_SECONDS_MAX = 10;
const PORTS = { base: 15_980 };
const LOOK_MS = 500;
const IDLE_MS = 5_000;

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-'));
const files = join(folder, 'files');
const data = join(folder, 'data');
const agent = new Agent({ keepAlive: true });
let service: Service | null = null;
try {
  const { texts } = await takeTexts('short', TEXTS);
  await writeFiles(texts);
  process.env.PINYON_IMPORT_FROM = `file://${folder}`;
  service = await startService(data, PORTS);
  const memory = new MemoryWatch(service.pid);
  const fields = { text: { type: 'string', full_text_search: {} } };
  const { host } = await ask(agent, `${service.base}/indexes`, { name: 'scale', schema: { fields } });
  const imported = await timed(service, (running) => importAll(running, String(host)));
  const first = await timed(service, () => search(String(host), 'first'));
  const times = await searchTimes(String(host), texts);
  const most = memory.stop();
  await service.stop();
  service = await startService(data, PORTS);
  const started = service.startMs / 1_000;
  const again = await timed(service, () => search(String(host), 'first'));
  const ready = started + again.seconds;
  const timesAfter = await searchTimes(String(host), texts);
  await pause(IDLE_MS);
  const idle = processMemory(service.pid);
  const show = ({ seconds, processor }: Timed) =>
    `${seconds.toFixed(1)} s, ${processor.toFixed(1)} of processor time`;
  const disk = spawnSync('du', ['-sm', data], { encoding: 'utf8' }).stdout.split('\t')[0] ?? '';
  const report = (what: string, measured: string) => ({ what, goal: null, measured, met: true });
  console.log(`${machine()}; ${DOCUMENTS} documents\n`);
  console.log(
    table([
      report('import', show(imported)),
      report('first search after it, which indexes the texts', show(first)),
      report(
        `a search by ${QUERY_WORDS} words, one at a time`,
        `p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)}`,
      ),
      {
        what: 'first answer after a restart',
        goal: `<= ${READY_SECONDS_MAX} s`,
        measured: `${ready.toFixed(1)} s: start ${started.toFixed(1)}, search ${show(again)}`,
        met: ready <= READY_SECONDS_MAX,
      },
      {
        what: 'memory, the most of all above an empty server',
        goal: `<= ${MEMORY_MEGABYTES_MAX} MB`,
        measured: `${most.toFixed(0)} MB`,
        met: most <= MEMORY_MEGABYTES_MAX,
      },
      report(
        'a search by words after the restart',
        `p50 ${percentile(timesAfter, 0.5).toFixed(1)} ms, p99 ${percentile(timesAfter, 0.99).toFixed(1)}`,
      ),
      report(
        'memory at idle after the restart',
        `${megabytes(idle.resident)} MB resident, ${megabytes(idle.held)} its own: ${Math.round(idle.held / DOCUMENTS)} bytes a document`,
      ),
      report('disk', `${disk} MB`),
    ]),
  );
} finally {
  await service?.stop();
  agent.destroy();
  rmSync(folder, { recursive: true });
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

interface Timed {
  readonly seconds: number;
  /** Of the service. */
  readonly processor: number;
}

async function timed(running: Service, work: (running: Service) => Promise<unknown>): Promise<Timed> {
  const [started, before] = [performance.now(), processorSeconds(running.pid)];
  await work(running);
  return {
    seconds: (performance.now() - started) / 1_000,
    processor: processorSeconds(running.pid) - before,
  };
}

/** Texts come again with their words turned around, behind the number of the round. */
async function writeFiles(texts: readonly string[]): Promise<void> {
  mkdirSync(join(files, '__default__'), { recursive: true });
  for (let first = 0; first < DOCUMENTS; first += FILE_DOCUMENTS) {
    const stream = createWriteStream(join(files, '__default__', `${first}.jsonl`));
    for (let at = first; at < Math.min(first + FILE_DOCUMENTS, DOCUMENTS); at++) {
      const round = Math.floor(at / texts.length);
      const text = texts[at % texts.length] ?? '';
      const turned = round === 0 ? text : `round${round} ${text.split(' ').reverse().join(' ')}`;
      const line = JSON.stringify({ _id: `d${at}`, text: turned, number: at });
      if (!stream.write(`${line}\n`)) await new Promise((resolve) => stream.once('drain', resolve));
    }
    stream.end();
    await finished(stream);
  }
}

async function importAll({ pid }: Service, host: string): Promise<void> {
  const { id } = await ask(agent, `${host}/bulk/imports`, { uri: `file://${files}` });
  for (;;) {
    const { status, error } = await ask(agent, `${host}/bulk/imports/${id}`);
    if (status === 'Completed') return;
    if (status === 'Failed') throw new Error(`the import into process ${pid} failed: ${error}`);
    await pause(LOOK_MS);
  }
}

function search(host: string, query: string): Promise<unknown> {
  const body = { score_by: [{ type: 'text', fields: ['text'], query }], top_k: 10 };
  return ask(agent, `${host}/namespaces/__default__/documents/search`, body);
}

async function searchTimes(host: string, texts: readonly string[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < QUERIES; turn++) {
    const words = (texts[(turn * 7_919) % texts.length] ?? '').match(/[a-z]{3,}/gi) ?? ['word'];
    const started = performance.now();
    await search(host, words.slice(0, QUERY_WORDS).join(' '));
    times.push(performance.now() - started);
  }
  return times;
}
