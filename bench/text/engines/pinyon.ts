// Our engine in one thread, as asked line by line: see contestant.ts.
import '../../../src/boot/runtime-flags.ts';
import { createReadStream, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TextQuery } from '../../../src/domain/full-text/text-query.ts';
import { anyOf, document, phrase, TEXTS_ONLY, term } from '../../../src/engine/conformance/document-data.ts';
import { sampleProfile, sampleQuery } from '../../../src/engine/conformance/sample-data.ts';
import { type InProcessIndex, openInProcess } from '../../../src/engine/embedded/in-process-index.ts';
import type { Built, Opened } from './contestant.ts';

const BATCH = 1_000;
const [, , folder = ''] = process.argv;
let index: InProcessIndex | undefined;

const lines = createInterface({ input: process.stdin });
for await (const line of lines) process.stdout.write(`${JSON.stringify(await answer(line.split(' ')))}\n`);

async function answer([request, path = '', k, count]: readonly string[]): Promise<unknown> {
  if (request === 'build') return build(path);
  if (request === 'open') return open();
  if (request === 'run') return run(path, { k: Number(k), count: count === '1' });
  return hits(path, Number(k));
}

/** Every batch is committed to disk before the next one begins, as requests are. */
async function build(path: string): Promise<Built> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const started = performance.now();
  const building = openInProcess(sampleProfile(TEXTS_ONLY), folder, { directRecordsMax: 0 });
  let number = 0;
  const batch = [];
  for await (const text of createInterface({ input: createReadStream(path) })) {
    batch.push(document(String(number++), { text }, null));
    if (batch.length === BATCH) await building.writer.upsert('', batch.splice(0));
    // The first search makes the namespace's segments, which later writes then keep up to date.
    if (number === BATCH) await building.reader.query(sampleQuery({ text: term('text', 'a') }));
  }
  if (batch.length > 0) await building.writer.upsert('', batch);
  await building.close();
  const seconds = (performance.now() - started) / 1000;
  return { seconds, diskBytes: bytesOf(folder) };
}

async function open(): Promise<Opened> {
  if (!existsSync(folder)) throw new Error(`nothing is built in ${folder}`);
  const started = performance.now();
  index = openInProcess(sampleProfile(TEXTS_ONLY), folder, { directRecordsMax: 0 });
  await index.reader.query(sampleQuery({ text: term('text', 'a') }));
  const seconds = (performance.now() - started) / 1000;
  return { seconds, heldBytes: index.parts.figures().memory?.texts ?? 0 };
}

async function run(path: string, { k, count }: { k: number; count: boolean }): Promise<readonly number[]> {
  const times: number[] = [];
  for (const text of queries(path)) {
    const request = sampleQuery({ text, topK: k });
    const started = performance.now();
    await (count ? opened().reader.countedQuery(request) : opened().reader.query(request));
    times.push(1000 * (performance.now() - started));
  }
  return times;
}

async function hits(path: string, k: number): Promise<readonly (readonly number[])[]> {
  const all: (readonly number[])[] = [];
  for (const text of queries(path)) {
    const matches = await opened().reader.query(sampleQuery({ text, topK: k }));
    all.push(matches.map(({ id }) => Number(id)));
  }
  return all;
}

function queries(path: string): readonly TextQuery[] {
  return readFileSync(path, 'utf8').split('\n').map(queryOf);
}

function queryOf(line: string): TextQuery {
  const [form, ...words] = line.split('\t');
  const [first = ''] = words;
  const terms = words.map((word) => term('text', word));
  if (form === 'term') return term('text', first);
  if (form === 'fuzzy') return { kind: 'fuzzy', field: 'text', term: first, editsMax: 1 };
  if (form === 'phrase') return phrase('text', words);
  return form === 'all' ? { kind: 'bool', must: terms, should: [], mustNot: [] } : anyOf(...terms);
}

function opened(): InProcessIndex {
  if (index === undefined) throw new Error('not open');
  return index;
}

/** Bytes that files take on disk: sparse files less than they are long. */
function bytesOf(path: string): number {
  const files = globSync('**/*', { cwd: path }).map((name) => statSync(join(path, name)));
  return files.reduce((sum, file) => sum + 512 * file.blocks, 0);
}
