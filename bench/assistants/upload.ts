// What large uploads do to the memory of the server, accepted and refused. Run: npm run bench:uploads
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { MemoryWatch } from '../backup/memory-watch.ts';
import { type Figure, machine, table } from '../support/figures.ts';
import { processorSeconds } from '../support/process-load.ts';
import { ask, KEY, type Service, startService } from '../support/service.ts';

const PORTS = { base: 15_480 };
/** The most that one file may have. */
const FILE_MEGABYTES = 100;
const MEGABYTE = 1e6;
const PIECE = Buffer.alloc(64 * 1024, 'x');
const GOAL_MEGABYTES = 64;
const POLL_MS = 20;

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-'));
try {
  console.log(`${machine()}\n`);
  console.log(table(await measure()));
} finally {
  rmSync(folder, { recursive: true });
}

async function measure(): Promise<readonly Figure[]> {
  const service = await startService(folder, PORTS);
  const agent = new Agent({ keepAlive: true });
  try {
    await ask(agent, `${service.base}/assistants`, { name: 'bench' });
    while ((await ask(agent, `${service.base}/assistants/bench`)).status !== 'Ready') await pause();
    // What is loaded at the first upload stays.
    await ended(service, agent, [await upload(service, 1)]);
    const two = [FILE_MEGABYTES, FILE_MEGABYTES];
    // V8 lets buffers gather before it collects any, once, however large an upload is.
    return [
      await figure(service, agent, { what: 'the first two files of 100 MB at a time', sizes: two }),
      await figure(service, agent, { what: 'two more', sizes: two }),
      await figure(service, agent, { what: 'one of 200 MB, refused', sizes: [2 * FILE_MEGABYTES] }),
    ];
  } finally {
    agent.destroy();
    await service.stop();
  }
}

interface Course {
  readonly what: string;
  /** In megabytes. */
  readonly sizes: readonly number[];
}

async function figure(service: Service, agent: Agent, { what, sizes }: Course): Promise<Figure> {
  const [arriving, all] = [new MemoryWatch(service.pid), new MemoryWatch(service.pid)];
  const before = processorSeconds(service.pid);
  const begun = performance.now();
  const answers = await Promise.all(sizes.map((megabytes) => upload(service, megabytes)));
  const seconds = (performance.now() - begun) / 1_000;
  const processor = processorSeconds(service.pid) - before;
  const grown = arriving.stop();
  await ended(service, agent, answers);
  const grownAfter = all.stop();
  const statuses = [...new Set(answers.map(({ status }) => status))].join();
  return {
    what: `memory of ${what} (${statuses}; ${seconds.toFixed(1)} s, ${processor.toFixed(1)} s of processor time)`,
    goal: `< ${GOAL_MEGABYTES} MB`,
    measured: `${grown.toFixed(0)} MB; until they are processed ${grownAfter.toFixed(0)} MB`,
    met: grown < GOAL_MEGABYTES,
  };
}

interface Uploaded {
  readonly status: number;
  readonly operation: string | null;
}

/** Of a PDF that is none: read to its end, stored, and found out by the parser. */
async function upload({ base }: Service, megabytes: number): Promise<Uploaded> {
  const answer = await fetch(`${base}/files/bench`, {
    method: 'POST',
    headers: {
      ...{ 'api-key': KEY, 'x-pinecone-api-version': '2026-07' },
      'content-type': 'multipart/form-data; boundary=b',
    },
    body: Readable.toWeb(Readable.from(form(megabytes * MEGABYTE))) as ReadableStream,
    duplex: 'half',
  } as RequestInit);
  const { id = null } = (await answer.json()) as { readonly id?: string };
  return { status: answer.status, operation: id };
}

function* form(bytes: number): Generator<Buffer> {
  yield Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n');
  for (let left = bytes; left > 0; left -= PIECE.length)
    yield PIECE.subarray(0, Math.min(left, PIECE.length));
  yield Buffer.from('\r\n--b--\r\n');
}

async function ended({ base }: Service, agent: Agent, uploads: readonly Uploaded[]): Promise<void> {
  for (const { operation } of uploads) {
    if (operation === null) continue;
    while ((await ask(agent, `${base}/operations/bench/${operation}`)).status === 'Processing') await pause();
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
