// Figures of the file pipeline: a long PDF until it answers, many files and the memory they leave, and what chunks are.
// Run: npm run bench:files
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CHUNK_OPTIONS } from '../../src/documents/chunks/chunk-model.ts';
import { openDocumentParser } from '../../src/documents/processes/open-document-parser.ts';
import { makePdf, type PdfPageText } from '../../src/documents/testing/make-pdf.ts';
import { type Figure, machine, percentile, table } from '../support/figures.ts';
import { processorSeconds } from '../support/process-load.ts';
import { processMemory } from '../support/process-memory.ts';
import { KEY, type Service, startService } from '../support/service.ts';

const FILES = Number(process.env.BENCH_FILES ?? 1_000);
const LONG_PAGES = 100;
const PAGES = 5;
const LONG_UPLOADS = 5;
/** Different files that are uploaded in turn, under ids of their own. */
const VARIANTS = 20;
const IN_FLIGHT = 4;
const PORTS = { base: 15_380 };
const LONG_SECONDS_MAX = 10;
/** Of the memory when a tenth of the files is in: what grows slower than this is the index itself. */
const GROWTH_MAX = 1.25;
const WAIT_MS = 10;
const MEBIBYTE = 2 ** 20;
const WORDS_A_PARAGRAPH = 90;
const HEADERS = { 'api-key': KEY, 'x-pinecone-api-version': '2026-04' };

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-'));
const words = proseOf(join(import.meta.dirname, '../../docs/decisions'));
let nextWord = 0;
try {
  console.log(`${machine()}\n`);
  const service = await startService(folder, PORTS);
  try {
    await makeAssistant(service);
    const figures = [await longFile(service), ...(await manyFiles(service)), await chunkQuality()];
    console.log(`\n${table(figures)}`);
  } finally {
    await service.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Words of the project's own documents, without signs of Markdown and what the letters of a PDF do not have. */
function proseOf(path: string): readonly string[] {
  const texts = readdirSync(path).map((name) => readFileSync(join(path, name), 'utf8'));
  return texts
    .join(' ')
    .replace(/[^a-zA-Z0-9.,;:'() -]+/g, ' ')
    .split(' ')
    .filter((word) => word !== '');
}

function paragraph(): string {
  const taken = Array.from({ length: WORDS_A_PARAGRAPH }, () => words[nextWord++ % words.length]);
  return taken.join(' ');
}

function pageOf(title: string): PdfPageText {
  return { heading: title, paragraphs: Array.from({ length: 4 }, paragraph) };
}

function pdfOf(title: string, pages: number): Promise<Uint8Array> {
  return makePdf(Array.from({ length: pages }, (_, at) => pageOf(`${title}, part ${at + 1}`)));
}

async function ask(service: Service, method: string, path: string, body?: FormData | object) {
  const isForm = body instanceof FormData;
  const answer = await fetch(`${service.base}${path}`, {
    method,
    headers: { ...HEADERS, ...(!isForm && body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}

async function makeAssistant(service: Service): Promise<void> {
  await ask(service, 'POST', '/assistant/assistants', { name: 'bench' });
  while ((await ask(service, 'GET', '/assistant/assistants/bench')).status !== 'Ready') await pause(WAIT_MS);
}

/** Milliseconds from the first byte until it is Available. */
async function processed(service: Service, id: string, bytes: Uint8Array): Promise<number> {
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(bytes)]), `${id}.pdf`);
  const began = performance.now();
  const operation = await ask(service, 'PUT', `/assistant/files/bench/${id}`, form);
  const path = `/assistant/operations/bench/${operation.id}`;
  for (;;) {
    const { status, error_message: error } = await ask(service, 'GET', path);
    if (status === 'Completed') return performance.now() - began;
    if (status === 'Failed') throw new Error(`${id}: ${error}`);
    await pause(WAIT_MS);
  }
}

async function longFile(service: Service): Promise<Figure> {
  const bytes = await pdfOf('Handbook', LONG_PAGES);
  const times: number[] = [await processed(service, 'long', bytes)];
  const before = secondsOf(service.pid);
  for (let at = 1; at < LONG_UPLOADS; at++) times.push(await processed(service, 'long', bytes));
  const computing = (secondsOf(service.pid) - before) / (LONG_UPLOADS - 1);
  const [first = 0] = times;
  const worst = Math.max(...times) / 1_000;
  const median = percentile(times, 0.5) / 1_000;
  return {
    what: `a PDF of ${LONG_PAGES} pages until Available`,
    goal: `< ${LONG_SECONDS_MAX} s`,
    measured: `${median.toFixed(1)} s, the first ${(first / 1_000).toFixed(1)} s, the slowest ${worst.toFixed(1)} s; ${computing.toFixed(1)} s of computing each`,
    met: worst < LONG_SECONDS_MAX,
  };
}

async function manyFiles(service: Service): Promise<Figure[]> {
  const variants = await Promise.all(Array.from({ length: VARIANTS }, (_, at) => pdfOf(`File ${at}`, PAGES)));
  const samples: { readonly files: number; readonly server: number; readonly parsers: number }[] = [];
  const every = Math.max(1, Math.floor(FILES / 10));
  const began = performance.now();
  let done = 0;
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < FILES; at = next++) {
      await processed(service, `file-${at}`, variants[at % VARIANTS] ?? new Uint8Array());
      if (++done % every === 0) samples.push({ files: done, ...memoryOf(service.pid) });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  const seconds = (performance.now() - began) / 1_000;
  console.log('| files | server, MiB | parser processes, MiB |\n|---|---|---|');
  for (const { files, server, parsers } of samples) {
    console.log(`| ${files} | ${server.toFixed(0)} | ${parsers.toFixed(0)} |`);
  }
  const [first, last] = [samples[0], samples.at(-1)];
  const growth = (of: 'server' | 'parsers') => (last?.[of] ?? 0) / (first?.[of] ?? 1);
  const goal = `< ${GROWTH_MAX} x`;
  const row = (what: string, of: 'server' | 'parsers'): Figure => ({
    what: `${what} after ${FILES} files of ${PAGES} pages, of that after ${every}`,
    goal,
    measured: `${growth(of).toFixed(2)} x (${first?.[of].toFixed(0)} to ${last?.[of].toFixed(0)} MiB); ${(FILES / seconds).toFixed(1)} files/s`,
    met: growth(of) < GROWTH_MAX,
  });
  return [row('memory of the server', 'server'), row('memory of its parsers', 'parsers')];
}

/** Resident, in MiB. */
function memoryOf(pid: number): { readonly server: number; readonly parsers: number } {
  const parsers = childrenOf(pid).reduce((sum, each) => sum + residentOf(each), 0);
  return { server: residentOf(String(pid)), parsers };
}

/** Of computing so far, by the server and its parsers. */
function secondsOf(pid: number): number {
  return [String(pid), ...childrenOf(pid)].reduce((sum, each) => sum + processorSeconds(Number(each)), 0);
}

function childrenOf(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
}

function residentOf(pid: string): number {
  try {
    return processMemory(Number(pid)).resident / MEBIBYTE;
  } catch {
    return 0;
  }
}

async function chunkQuality(): Promise<Figure> {
  const parser = openDocumentParser({ processes: 1 });
  const { chunks } = await parser.chunk({ name: 'a.pdf', bytes: await pdfOf('Handbook', LONG_PAGES) });
  await parser.close();
  const largest = Math.max(...chunks.map(({ tokens }) => tokens));
  const headed = chunks.filter(({ headings }) => headings.length > 0).length;
  const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
  return {
    what: `chunks of ${LONG_PAGES} pages: the largest; with the heading they stand under`,
    goal: `<= ${CHUNK_OPTIONS.tokensMax} tokens; all`,
    measured: `${largest} tokens; ${headed} of ${chunks.length}; ${Math.round(tokens / chunks.length)} tokens on average`,
    met: largest <= CHUNK_OPTIONS.tokensMax && headed === chunks.length,
  };
}
