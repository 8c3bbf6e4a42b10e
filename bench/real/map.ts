// Measures maps of real embeddings: time, memory, and neighborhoods kept beside umap-learn (npm run bench:map).
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openInProcess } from '../../src/engine/embedded/in-process-index.ts';
import { neighborLists } from '../../src/engine/port/neighbor-lists.ts';
import { packRecords } from '../../src/engine/port/packed-records.ts';
import { layOut } from '../../src/projection/lay-out.ts';
import { decodeMap, idsIn } from '../../src/projection/map-file.ts';
import { NEIGHBORS } from '../../src/projection/neighbor-table.ts';
import { PointSet } from '../../src/projection/point-set.ts';
import { profile, settled } from '../peers/engines/pinyon.ts';
import { machine } from '../support/figures.ts';
import { gloveSet } from './glove.ts';
import { type RealSet, readRows } from './row-set.ts';
import { trustworthiness } from './trustworthiness.ts';
import { umapLearnLayout } from './umap-learn.ts';

const BATCH = 1_000;
const NEIGHBORS_BATCH = 48;
/** The effort of the job (src/app/maps/map-job.ts). */
const EFFORT = 0.5;
const MEBIBYTE = 2 ** 20;

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '20000' },
    anchors: { type: 'string', default: '2000' },
    rows: { type: 'string' },
    dimension: { type: 'string', default: '384' },
    umap: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(`Measures the map of GloVe vectors, or of others, in processor time.

  --records=N   vectors; of GloVe up to 400,000
  --rows=FILE   32-bit floats, such as bench:recall keeps of texts; as many as requested, spread over the file
  --dimension=N of the rows of that file
  --anchors=N   points whose neighborhoods are judged, each beside all others
  --umap        beside umap-learn, which pip installs into the bench's cache
`);
  process.exit(0);
}

const set = values.rows === undefined ? await gloveSet(size(1)) : rowsOf(values.rows);
const rows = set.base.map((row) => {
  const length = Math.hypot(...row);
  return row.map((value) => value / length);
});
const folder = mkdtempSync(join(tmpdir(), 'pinyon-map-'));
const index = openInProcess(
  profile({ vectorType: 'dense', metric: set.metric, dimension: set.dimension }),
  join(folder, 'index'),
);
const points = new PointSet({
  metric: set.metric,
  isDense: true,
  capacity: rows.length,
  share: 1,
  fields: [],
});
for (let first = 0; first < rows.length; first += BATCH) {
  const records = rows.slice(first, first + BATCH).map((row, at) => {
    return { id: String(first + at), values: row, sparse: null, metadataJson: null };
  });
  points.add(packRecords(records, set.dimension));
  await index.writer.upsert('', records);
}
const query = { namespace: '', sparse: null, filter: null, includeValues: false, includeMetadata: false };
await settled(index, () => index.reader.query({ ...query, values: rows[0] ?? null, topK: 1 }));

const searching = stopwatch();
for (let from = 0; from < rows.length; from += NEIGHBORS_BATCH) {
  const ids = points.ids.slice(from, from + NEIGHBORS_BATCH);
  const found = await neighborLists(index.reader, { namespace: '', ids, limit: NEIGHBORS, effort: EFFORT });
  points.setNeighbors({ from, ...found });
}
const searched = searching();
await index.close();
rmSync(folder, { recursive: true });

const layingOut = stopwatch();
let memory = 0;
const origin = { storageId: 'bench', namespace: 1, lsn: 0, total: rows.length, madeAt: '' };
const file = await layOut(points, { origin, former: null }, () => {
  memory = Math.max(memory, process.memoryUsage().arrayBuffers);
});
const laidOut = layingOut();

const map = decodeMap(file);
if (map === null) throw new Error('the map cannot be read');
const positions = new Float32Array(2 * rows.length);
for (const [at, id] of idsIn(map, 0, map.count).entries()) {
  positions[2 * Number(id)] = map.x[at] ?? 0;
  positions[2 * Number(id) + 1] = map.y[at] ?? 0;
}
const judge = (made: Float32Array) =>
  trustworthiness({ rows, positions: made }, NEIGHBORS, Math.min(rows.length, Number(values.anchors)));
const own = judge(positions);
process.stdout.write(`${machine()}; ${rows.length} x ${set.dimension}, processor time

| | |
|---|---|
| neighbors of all points | ${searched.toFixed(1)} s |
| layout and file | ${laidOut.toFixed(1)} s, ${(file.length / MEBIBYTE).toFixed(1)} MiB |
| buffers, those of the bench included | ${(memory / MEBIBYTE).toFixed(0)} MiB |
| trustworthiness, k = ${NEIGHBORS} | ${own.toFixed(4)} |
`);
if (values.umap) {
  const peer = umapLearnLayout(rows);
  const theirs = judge(peer.positions);
  process.stdout.write(`| umap-learn | ${theirs.toFixed(4)}, ${peer.seconds.toFixed(1)} s |
| ours of theirs | ${(own / theirs).toFixed(3)} |
`);
}

function size(queries: number) {
  return { records: Number(values.records), queries };
}

function rowsOf(path: string): Pick<RealSet, 'base' | 'dimension' | 'metric'> {
  const dimension = Number(values.dimension);
  const all = readRows(path, dimension, Math.floor(statSync(path).size / 4 / dimension));
  const { records } = size(0);
  const base = Array.from({ length: Math.min(records, all.length) }, (_, at) => {
    return all[Math.floor((at * all.length) / Math.min(records, all.length))] ?? new Float32Array(dimension);
  });
  return { base, dimension, metric: 'cosine' };
}

/** Seconds of processor time since the call. */
function stopwatch(): () => number {
  const begin = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / 1e6;
  };
}
