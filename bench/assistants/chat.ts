// Context and built-in answers over HTTP, over an assistant with many chunks. Run: npm run bench:chat
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { textMaker } from '../inference/texts.ts';
import { type Figure, machine, percentile, table } from '../support/figures.ts';
import { processorSeconds } from '../support/process-load.ts';
import { ask, call, KEY, type Service, startService } from '../support/service.ts';

const CHUNKS = Number(process.env.BENCH_CHUNKS ?? 50_000);
const QUESTIONS = Number(process.env.BENCH_QUERIES ?? 200);
const WARM_UP_QUESTIONS = 20;
/** Chunks of one uploaded file, and words of one chunk: about 400 tokens. */
const FILE_CHUNKS = 1_000;
const CHUNK_WORDS = 250;
const SENTENCE_WORDS = 14;
const QUESTION_WORDS = 6;
const PORTS = { base: 15_580 };
const VERSION = { 'x-pinecone-api-version': '2026-07' };
const BOUNDARY = 'bench-boundary';
const PAUSE_MS = 250;
const SETTLING_MS_MAX = 900_000;
const IDLE_WINDOW_MS = 2_000;
const IDLE_SHARE_MAX = 0.03;
/** Of processor time in /proc: a hundredth of a second. */

const CONTEXT_MS_GOAL = 30;
const FIRST_TOKEN_MS_GOAL = 100;

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-'));
try {
  const [load = 0] = loadavg();
  console.log(`${machine()}, load ${load.toFixed(1)} before; ${CHUNKS} chunks of ${CHUNK_WORDS} words\n`);
  console.log(table(await measure()));
} finally {
  rmSync(folder, { recursive: true });
}

async function measure(): Promise<readonly Figure[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  const service = await startService(folder, PORTS);
  try {
    await ask(agent, `${service.base}/assistant/assistants`, { name: 'bench' });
    await ready(agent, service);
    await upload(agent, service);
    const question = textMaker(2);
    const context = `${service.base}/assistant/chat/bench/context`;
    // Chunks are loaded by the first question, and nothing is built for them before.
    await ask(agent, context, { query: question(QUESTION_WORDS) });
    await settled(service);
    const chat = `${service.base}/assistant/chat/bench`;
    return [
      await figure('context, top_k 16', service, CONTEXT_MS_GOAL, () =>
        timed(() => ask(agent, context, { query: question(QUESTION_WORDS) })),
      ),
      await figure('built-in answer, first streamed token', service, FIRST_TOKEN_MS_GOAL, () =>
        firstToken(agent, chat, question(QUESTION_WORDS)),
      ),
    ];
  } finally {
    await service.stop();
    agent.destroy();
  }
}

async function ready(agent: Agent, { base }: Service): Promise<void> {
  while ((await ask(agent, `${base}/assistant/assistants/bench`)).status !== 'Ready') {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** All chunks searchable when it resolves. */
async function upload(agent: Agent, { base }: Service): Promise<void> {
  const words = textMaker(1);
  const url = `${base}/assistant/files/bench`;
  for (let chunks = 0, file = 0; chunks < CHUNKS; file++) {
    const text = Array.from({ length: FILE_CHUNKS }, () => paragraph(words)).join('\n\n');
    const body = Buffer.from(
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${file}.txt"\r\n\r\n${text}\r\n--${BOUNDARY}--\r\n`,
    );
    const type = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    const accepted = await call(agent, url, body, { ...VERSION, ...type });
    if (accepted.status !== 202) throw new Error(`${url} answered ${accepted.status}: ${accepted.text}`);
    const { id } = JSON.parse(accepted.text) as { readonly id: string };
    chunks += await ended(agent, `${base}/assistant/operations/bench/${id}`);
  }
}

function paragraph(words: (count: number) => string): string {
  const sentences = Array.from({ length: Math.ceil(CHUNK_WORDS / SENTENCE_WORDS) }, () => {
    const text = words(SENTENCE_WORDS);
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  });
  return sentences.join(' ');
}

/** Units of the operation: about its chunks. */
async function ended(agent: Agent, url: string): Promise<number> {
  for (;;) {
    const { status, ingestion_units: units, error_message: error } = await ask(agent, url);
    if (status === 'Completed') return Number(units);
    if (status === 'Failed') throw new Error(`an upload failed: ${String(error)}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Waits until nothing is built any more: questions right after a load are those of a busy machine. */
async function settled({ pid }: Service): Promise<void> {
  const end = performance.now() + SETTLING_MS_MAX;
  for (let before = 1_000 * processorSeconds(pid); performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, IDLE_WINDOW_MS));
    const now = 1_000 * processorSeconds(pid);
    if (now - before <= IDLE_SHARE_MAX * IDLE_WINDOW_MS) return;
    before = now;
  }
}

async function figure(
  what: string,
  { pid }: Service,
  goalMs: number,
  once: () => Promise<number>,
): Promise<Figure> {
  for (let i = 0; i < WARM_UP_QUESTIONS; i++) await once();
  const cpuBefore = 1_000 * processorSeconds(pid);
  const taken: number[] = [];
  for (let i = 0; i < QUESTIONS; i++) taken.push(await once());
  const cpu = (1_000 * processorSeconds(pid) - cpuBefore) / QUESTIONS;
  const p50 = percentile(taken, 0.5);
  return {
    what,
    goal: `p50 <= ${goalMs} ms`,
    measured: `p50 ${p50.toFixed(1)} ms, p99 ${percentile(taken, 0.99).toFixed(1)}; ${cpu.toFixed(1)} ms of processor time each`,
    met: p50 <= goalMs,
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Milliseconds from the request to the first content of the stream. */
function firstToken(agent: Agent, url: string, content: string): Promise<number> {
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content }] });
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { 'api-key': KEY, 'content-type': 'application/json' };
    const outgoing = request(url, { agent, method: 'POST', headers }, (incoming) => {
      let text = '';
      let first: number | undefined;
      incoming.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        if (text.includes('content_chunk')) first ??= performance.now() - started;
      });
      incoming.once('end', () => (first === undefined ? reject(new Error(text)) : resolve(first)));
    });
    outgoing.once('error', reject).end(body);
  });
}
