// Figures of bulk import and export: records a second of local Parquet, and memory, that of a file with one huge row
// group, too. Run: npm run bench:import
import '../../src/boot/runtime-flags.ts';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ParquetRecordWriter } from '../../src/file-formats/parquet/write-file.ts';
import { hardDataSet } from '../support/data-set.ts';
import { type Figure, machine, percentile, table } from '../support/figures.ts';
import { processorSeconds } from '../support/process-load.ts';
import { processMemory } from '../support/process-memory.ts';
import { ask, type Service, startService } from '../support/service.ts';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 100_000);
const FILES = 4;
/** 768 floats each: a row group of 1.07 GB. */
const GROUP_RECORDS = Number(process.env.BENCH_GROUP_RECORDS ?? 350_000);
const DIMENSION = 768;
const PORTS = { base: 15_280 };
const GOAL_A_SECOND = 20_000;
const MEMORY_MEBIBYTES_MAX = 512;
const LOOK_MS = 50;
const MEBIBYTE = 2 ** 20;

interface Transfer {
  readonly status: string;
  readonly error?: string;
}

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-'));
try {
  process.env.PINYON_IMPORT_FROM = `file://${folder}`;
  process.env.PINYON_EXPORT_TO = `file://${folder}/exports`;
  mkdirSync(`${folder}/exports`);
  const { base } = hardDataSet({ records: RECORDS, queries: 1, dimension: DIMENSION });
  for (let file = 0; file < FILES; file++)
    await writeFile(`files/${file}.parquet`, { base, first: file, step: FILES, count: RECORDS });
  await writeFile('group/0.parquet', { base, count: GROUP_RECORDS, groupBytes: Number.POSITIVE_INFINITY });
  console.log(
    `${machine()}; ${RECORDS} x ${DIMENSION} in ${FILES} Parquet files, and ${GROUP_RECORDS} in one row group\n`,
  );
  console.log(table(await measure()));
} finally {
  rmSync(folder, { recursive: true });
}

interface Written {
  readonly base: readonly Float32Array[];
  readonly count: number;
  readonly first?: number;
  readonly step?: number;
  readonly groupBytes?: number;
}

/** Records `first`, `first + step` and so on below `count`, over and over the same vectors. */
async function writeFile(
  path: string,
  { base, count, first = 0, step = 1, groupBytes }: Written,
): Promise<void> {
  const [set = '', name = ''] = path.split('/');
  mkdirSync(`${folder}/${set}/__default__`, { recursive: true });
  const stream = createWriteStream(`${folder}/${set}/__default__/${name}`);
  const writer = new ParquetRecordWriter(
    (bytes) =>
      new Promise((resolve, reject) => stream.write(bytes, (error) => (error ? reject(error) : resolve()))),
    groupBytes === undefined ? {} : { groupBytes },
  );
  for (let i = first; i < count; i += step) {
    const values = base[i % base.length] ?? new Float32Array(DIMENSION);
    const metadataJson = `{"group":${i % 10},"title":"number ${i}"}`;
    await writer.add({ id: `record-${i}`, values, sparse: null, metadataJson });
  }
  await writer.finish();
  await new Promise<void>((resolve) => stream.end(resolve));
}

async function measure(): Promise<Figure[]> {
  const service = await startService(`${folder}/data`, PORTS);
  try {
    const host = await makeIndex(service, 'bench');
    const before = anonymousMebibytes(service);
    const imported = await timeTransfer(service, `${host}/bulk/imports`, { uri: `file://${folder}/files` });
    const rate = RECORDS / imported.seconds;
    const exported = await timeTransfer(service, `${host}/bulk/exports`, {
      uri: `file://${folder}/exports/one`,
    });
    const grouped = await makeIndex(service, 'grouped');
    const group = await timeTransfer(service, `${grouped}/bulk/imports`, { uri: `file://${folder}/group` });
    return [
      {
        what: 'import, local Parquet',
        goal: `>= ${GOAL_A_SECOND} records/s`,
        measured: `${rate.toFixed(0)} records/s (${((rate * DIMENSION * 4) / 1e6).toFixed(0)} MB/s of vectors)`,
        met: rate >= GOAL_A_SECOND,
      },
      {
        what: 'import: processor time of the server, threads that build graphs meanwhile included',
        goal: null,
        measured: `${imported.processorSeconds.toFixed(1)} s`,
        met: true,
      },
      memoryFigure(
        'import: memory above idle at its highest, the new index itself included',
        imported.peak - before,
      ),
      {
        what: 'export to Parquet',
        goal: null,
        measured: `${(RECORDS / exported.seconds).toFixed(0)} records/s`,
        met: true,
      },
      memoryFigure('export: memory above idle at its highest', exported.peak - exported.before),
      {
        what: 'import of one row group of all records',
        goal: `>= ${GOAL_A_SECOND} records/s`,
        measured: `${(GROUP_RECORDS / group.seconds).toFixed(0)} records/s`,
        met: GROUP_RECORDS / group.seconds >= GOAL_A_SECOND,
      },
      memoryFigure('import of one row group: memory above before at its highest', group.peak - group.before),
    ];
  } finally {
    await service.stop();
  }
}

async function makeIndex(service: Service, name: string): Promise<string> {
  const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
  const body = { name, dimension: DIMENSION, metric: 'cosine', spec };
  return String((await ask(new Agent({ keepAlive: true }), `${service.base}/indexes`, body)).host);
}

function memoryFigure(what: string, mebibytes: number): Figure {
  return {
    what,
    goal: `<= ${MEMORY_MEBIBYTES_MAX} MiB`,
    measured: `${mebibytes.toFixed(0)} MiB`,
    met: mebibytes <= MEMORY_MEBIBYTES_MAX,
  };
}

/** Memory in MiB, time in seconds from the request to the last state. */
async function timeTransfer(
  service: Service,
  address: string,
  body: unknown,
): Promise<{
  readonly seconds: number;
  readonly before: number;
  readonly peak: number;
  readonly processorSeconds: number;
}> {
  const agent = new Agent({ keepAlive: true });
  const before = anonymousMebibytes(service);
  const readings = [before];
  const processorBefore = processorSeconds(service.pid);
  const started = performance.now();
  const { id } = await ask(agent, address, body);
  for (;;) {
    const state = (await ask(agent, `${address}/${id}`)) as unknown as Transfer;
    readings.push(anonymousMebibytes(service));
    if (state.status === 'Completed') break;
    if (!['Pending', 'InProgress'].includes(state.status)) throw new Error(state.error);
    await pause(LOOK_MS);
  }
  return {
    seconds: (performance.now() - started) / 1_000,
    before,
    peak: percentile(readings, 1),
    processorSeconds: processorSeconds(service.pid) - processorBefore,
  };
}

/** What the process has of its own: mapped files are the page cache's, which gives way. */
function anonymousMebibytes({ pid }: Service): number {
  return processMemory(pid).held / MEBIBYTE;
}
