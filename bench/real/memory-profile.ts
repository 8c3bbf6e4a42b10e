// Compares the memory profiles of an index on real data: bytes a record, recall, and speed from a warm and a cold cache
// (npm run bench:profiles).
import '../../src/boot/runtime-flags.ts';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MEMORY_PROFILES, type MemoryProfile } from '../../src/domain/memory-profile.ts';
import { type InProcessIndex, openInProcess } from '../../src/engine/embedded/in-process-index.ts';
import { Advice, nativeModule, systemCalls } from '../../src/platform/native/system-calls.ts';
import { profile, settled } from '../peers/engines/pinyon.ts';
import { cachePath } from '../peers/support/cache.ts';
import { BARE_QUERY } from '../support/bare-query.ts';
import { machine } from '../support/figures.ts';
import { dotOf } from './dot.ts';
import { exactAnswers } from './exact.ts';
import { attributesOf, FILTERS } from './filters.ts';
import type { RealSet } from './row-set.ts';
import { fillIndex, openSet, SET_NAMES } from './sets.ts';

const TOP_K = 10;
const FADVISE_DONTNEED = 4;

const { values } = parseArgs({
  options: {
    set: { type: 'string', default: 'packages' },
    records: { type: 'string', default: '100000' },
    queries: { type: 'string', default: '300' },
    cold: { type: 'string', default: '40' },
    efforts: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '4' },
    profiles: { type: 'string', default: MEMORY_PROFILES.join(',') },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(`Compares the memory profiles of an index on real data.

  --set=NAME        of ${SET_NAMES.join(', ')}
  --records=N       at most
  --queries=N       of each kind, up to 1,000
  --cold=N          queries from a cold cache, before each of which the system drops all files of the index
  --efforts=0.3,1   factors on the usual effort
  --rounds=N        of warm queries, the profiles taking turns
  --profiles=a,b    of ${MEMORY_PROFILES.join(', ')}
`);
  process.exit(0);
}

interface Measured {
  readonly memoryProfile: MemoryProfile;
  readonly folder: string;
  readonly index: InProcessIndex;
}

async function openBuilt(set: RealSet, memoryProfile: MemoryProfile): Promise<Measured> {
  const folder = cachePath('profiles', `${set.name}-${set.base.length}-${memoryProfile}`);
  const { metric, dimension } = set;
  const isBuilt = existsSync(join(folder, 'rows.f32'));
  const index = openInProcess(
    { ...profile({ vectorType: 'dense', metric, dimension }), memoryProfile },
    folder,
    { saveIdleMs: 100 },
  );
  const began = process.cpuUsage();
  if (!isBuilt) await fillIndex(index, set, () => null);
  const [anyRow] = set.base;
  await settled(index, () => index.reader.query({ ...BARE_QUERY, values: anyRow ?? null, topK: 1 }));
  const seconds = process.cpuUsage(began).user / 1e6;
  const { loaded, checkpointer } = index.parts;
  while (!loaded.segments().every((each) => checkpointer.isSaved(each)))
    await new Promise((resolve) => setTimeout(resolve, 100));
  if (!isBuilt)
    process.stdout.write(`${memoryProfile}: written and built in ${seconds.toFixed(1)} processor seconds\n`);
  return { memoryProfile, folder, index };
}

function bytesARecord({ index }: Measured, records: number): string {
  const { memory } = index.parts.figures();
  if (memory === null) return 'nothing in memory';
  const { codesInFile, ...inMemory } = memory;
  const parts = Object.entries(inMemory).filter(([, bytes]) => bytes > 0);
  const all = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
  const each = (bytes: number) => (bytes / records).toFixed(0);
  return `${each(all)} (${parts.map(([name, bytes]) => `${name} ${each(bytes)}`).join(', ')}), ${each(codesInFile)} in the file`;
}

/** Lets the system drop all files of the index from memory: mapped ones from this process, then from its cache. */
function dropFromMemory(folder: string): void {
  const calls = systemCalls();
  const { dlopen } = nativeModule() ?? {};
  if (calls === null || dlopen === undefined) throw new Error('this needs system calls');
  const { posix_fadvise: fadvise } = dlopen(null, {
    posix_fadvise: { arguments: ['i32', 'i64', 'i64', 'i32'], return: 'i32' },
  }).functions;
  for (const line of readFileSync('/proc/self/maps', 'utf8').split('\n')) {
    if (!line.includes(folder)) continue;
    const [from = '0', to = '0'] = line.split(' ')[0]?.split('-') ?? [];
    const [start, end] = [BigInt(`0x${from}`), BigInt(`0x${to}`)];
    calls.advise({ address: start, bytes: Number(end - start) }, Advice.PageOut);
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const fd = openSync(join(folder, name), 'r');
    fadvise(fd, 0n, 0n, FADVISE_DONTNEED);
    closeSync(fd);
  }
}

async function search({ index }: Measured, query: Float32Array, effort: number) {
  return index.reader.query({ ...BARE_QUERY, values: query, topK: TOP_K, effort });
}

async function recallOf(measured: Measured, set: RealSet, kind: string, effort: number): Promise<string> {
  const queries = set.kinds.get(kind) ?? [];
  const [filter] = FILTERS;
  const exact = exactAnswers(set, kind, attributesOf(set));
  if (filter === undefined) throw new Error('no filter');
  let [sum, poor] = [0, 0];
  for (const [at, query] of queries.entries()) {
    const least = exact.least(at, filter, TOP_K);
    const matches = await search(measured, query, effort);
    const found = matches.filter(({ id }) => cosineBy(query, set.base[Number(id)]) >= least).length / TOP_K;
    sum += found;
    if (found < 0.8) poor++;
  }
  return `${(sum / queries.length).toFixed(4)} (${((100 * poor) / queries.length).toFixed(1)} % poor)`;
}

function cosineBy(query: Float32Array, row: Float32Array | undefined): number {
  return row === undefined ? -Infinity : dotOf(query, row) / (Math.sqrt(dotOf(row, row)) || 1);
}

/** Queries a processor second. */
async function warmSpeed(
  measured: Measured,
  queries: readonly Float32Array[],
  effort: number,
): Promise<number> {
  const began = process.cpuUsage();
  for (const query of queries) await search(measured, query, effort);
  const { user, system } = process.cpuUsage(began);
  return queries.length / ((user + system) / 1e6);
}

async function coldTimes(measured: Measured, queries: readonly Float32Array[]): Promise<string> {
  const times: number[] = [];
  let faults = 0;
  for (const query of queries) {
    dropFromMemory(measured.folder);
    const before = process.resourceUsage().majorPageFault;
    const began = performance.now();
    await search(measured, query, 1);
    times.push(performance.now() - began);
    faults += process.resourceUsage().majorPageFault - before;
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, ${(faults / queries.length).toFixed(0)} major faults a query`;
}

const set = await openSet(values.set, { records: Number(values.records), queries: Number(values.queries) });
process.stdout.write(`${machine()}\n${set.name}, ${set.base.length} x ${set.dimension}\n`);
const all: Measured[] = [];
for (const name of MEMORY_PROFILES)
  if (values.profiles.split(',').includes(name)) all.push(await openBuilt(set, name));
for (const each of all)
  process.stdout.write(`${each.memoryProfile}: bytes a record ${bytesARecord(each, set.base.length)}\n`);
for (const effort of values.efforts.split(',').map(Number))
  for (const [kind, queries] of set.kinds) {
    const speeds = new Map(all.map(({ memoryProfile }) => [memoryProfile, [] as number[]]));
    for (let round = 0; round < Number(values.rounds); round++)
      for (const each of all) speeds.get(each.memoryProfile)?.push(await warmSpeed(each, queries, effort));
    for (const each of all) {
      const sorted = (speeds.get(each.memoryProfile) ?? []).toSorted((a, b) => a - b);
      const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
      const recall = await recallOf(each, set, kind, effort);
      process.stdout.write(
        `effort ${effort}, ${kind}, ${each.memoryProfile}: recall ${recall}, ${median.toFixed(0)} queries a processor second\n`,
      );
    }
  }
const [[, anyQueries = []] = []] = set.kinds;
if (Number(values.cold) > 0)
  for (const each of all)
    process.stdout.write(
      `cold, ${each.memoryProfile}: ${await coldTimes(each, anyQueries.slice(0, Number(values.cold)))}\n`,
    );
for (const { index } of all) await index.close();
