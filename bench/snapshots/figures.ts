// Compares writing and reading derived files with plain writing and reading of as many bytes, without checksums.
import '../../src/boot/runtime-flags.ts';
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { fillParts, fillPartsInSlices } from '../../src/engine/embedded/storage/derived-files/fill-parts.ts';
import { readHeader, type Snapshot } from '../../src/engine/embedded/storage/derived-files/read-header.ts';
import {
  emptySample,
  type Sample,
  sample,
} from '../../src/engine/embedded/storage/derived-files/testing/sample.ts';
import { writeSnapshot } from '../../src/engine/embedded/storage/derived-files/write-snapshot.ts';
import { machine, percentile } from '../support/figures.ts';
import { filledByThreads, secondsOfNewProcess } from './threads.ts';

const { BENCH_MIB, BENCH_RUNS, BENCH_FOLDER } = process.env;

const MIB = 1_048_576;
const BYTES = Number(BENCH_MIB ?? 1_024) * MIB;
const RUNS = Number(BENCH_RUNS ?? 3);
const PIECES = [65_536, 4_096] as const;
/** In this order: a file system in memory, where syncing costs nothing, and a real one. */
const FOLDERS = ['/dev/shm', BENCH_FOLDER ?? tmpdir()].filter((folder) => existsSync(folder));

type Work = () => void | Promise<void>;

async function figure(what: string, work: Work, before: Work = () => {}): Promise<void> {
  const seconds: number[] = [];
  const cpuSeconds: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    await before();
    const cpu = process.cpuUsage();
    const began = performance.now();
    await work();
    seconds.push((performance.now() - began) / 1e3);
    const { user, system } = process.cpuUsage(cpu);
    cpuSeconds.push((user + system) / 1e6);
  }
  const perGb = (percentile(cpuSeconds, 0.5) / BYTES) * 1e9;
  console.log(`| ${what} | ${rate(percentile(seconds, 0.5))} | ${perGb.toFixed(2)} |`);
}

/** MB a second. */
function rate(seconds: number): string {
  return (BYTES / 1e6 / seconds).toFixed(0);
}

function eachMiB(work: (at: number) => void): void {
  for (let at = 0; at < BYTES; at += MIB) work(at);
}

function plainWrite(path: string, bytes: Uint8Array): void {
  const fd = openSync(`${path}.part`, 'w');
  eachMiB((at) => writeSync(fd, bytes, at, MIB, at));
  fdatasyncSync(fd);
  closeSync(fd);
  renameSync(`${path}.part`, path);
}

function plainRead(path: string, into: Uint8Array): void {
  const fd = openSync(path, 'r');
  eachMiB((at) => readSync(fd, into, at, MIB, at));
  closeSync(fd);
}

function usable(path: string): Snapshot {
  const snapshot = readHeader(path);
  if (!snapshot.usable) throw new Error(snapshot.detail);
  return snapshot;
}

async function measure(folder: string, pieceBytes: number): Promise<void> {
  const shapes = [{ name: 'pieces', count: BYTES / pieceBytes, bytesEach: pieceBytes }];
  const source = sample(shapes, 1);
  const bytes = new Uint8Array(source.memory.buffer);
  const path = join(folder, 'snapshot');
  const plain = join(folder, 'plain');
  console.log(`\n${BYTES / MIB} MiB in pieces of ${pieceBytes / 1024} KiB, ${folder}\n`);
  console.log('| what | MB/s | CPU seconds a GB |\n|---|---|---|');
  await figure('checksums alone', () => eachMiB((at) => crc32(bytes.subarray(at, at + MIB))));
  await figure('plain write, contiguous, sync', () => plainWrite(plain, bytes));
  await figure('writeSnapshot', async () => void (await writeSnapshot(path, { ...source, header: null })));
  await figure('plain read, contiguous, warm memory', () => plainRead(plain, bytes));
  rmSync(plain);
  await figure('fillParts, warm memory', () => void fillParts(usable(path), source.memory, source.parts));
  await figure('fillPartsInSlices, warm memory', async () => {
    await fillPartsInSlices(usable(path), source.memory, source.parts);
  });
  for (const threads of [1, 2]) await figureOfThreads(path, source, threads);
  let fresh: Sample = source;
  const renew = () => {
    fresh = emptySample(shapes, 2);
  };
  await figure('plain read, contiguous, new memory', () => plainReadOf(path, fresh), renew);
  await figure('fillParts, new memory', () => void fillParts(usable(path), fresh.memory, fresh.parts), renew);
  for (const threads of [1, 2]) {
    const seconds: number[] = [];
    for (let run = 0; run < RUNS; run++) seconds.push(await secondsOfNewProcess(path, threads));
    const median = percentile(seconds, 0.5);
    const what = `new process, ${threads} threads, until all is filled: ${median.toFixed(2)} s`;
    console.log(`| ${what} | ${rate(median)} | |`);
  }
}

function plainReadOf(path: string, { memory }: Sample): void {
  plainRead(path, new Uint8Array(memory.buffer));
}

/** Starting the threads is not counted. */
async function figureOfThreads(path: string, target: Sample, threads: number): Promise<void> {
  const seconds: number[] = [];
  for (let run = 0; run < RUNS; run++) seconds.push(await filledByThreads(usable(path), target, threads));
  console.log(`| fillParts by ${threads} threads, warm memory | ${rate(percentile(seconds, 0.5))} | |`);
}

console.log(machine());
for (const parent of FOLDERS) {
  const folder = mkdtempSync(join(parent, 'pinyon-bench-'));
  try {
    for (const pieceBytes of PIECES) await measure(folder, pieceBytes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
