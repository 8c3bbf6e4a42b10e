// Real data as the contests take it: records and queries as files of rows, unit vectors where the metric is the cosine.
import { closeSync, openSync, writeSync } from 'node:fs';
import { fashionSet } from '../../real/fashion.ts';
import { gloveSet } from '../../real/glove.ts';
import type { RealSet, SetSize } from '../../real/row-set.ts';
import { packagesSet, paragraphsSet } from '../../real/text-sets.ts';
import { cachedFile, cachePath } from '../support/cache.ts';
import type { DataSet, DataSize } from './data-sets.ts';
import { RowFile } from './row-file.ts';

const SOURCES: Readonly<Record<string, (size: SetSize) => Promise<RealSet>>> = {
  packages: packagesSet,
  paragraphs: paragraphsSet,
  glove: gloveSet,
  fashion: fashionSet,
};
const SAME = 'same';

/** Of each source, queries of the records' own kind, and queries unlike them, of all other kinds in equal parts. */
export const REAL_NAMES = [
  'packages same',
  'packages other',
  'paragraphs same',
  'paragraphs other',
  'glove same',
  'glove other',
  'fashion same',
  'fashion other',
] as const;
export type RealName = (typeof REAL_NAMES)[number];

export function isRealName(name: string): name is RealName {
  return REAL_NAMES.some((each) => each === name);
}

/** A real set has as many records as it has, at most, and a dimension of its own. */
export async function openRealSet(name: RealName, { records, queries }: DataSize): Promise<DataSet> {
  const [source = '', kind = ''] = name.split(' ');
  const open = SOURCES[source];
  if (open === undefined) throw new Error(`no such data: ${name}`);
  const set = await open({ records, queries });
  const rowOf = set.metric === 'cosine' ? unit : (row: Float32Array) => row;
  const path = cachePath('data', `${source}-${set.base.length}-${set.dimension}.f32`);
  await cachedFile(path, async (part) => {
    const file = openSync(part, 'w');
    for (const row of set.base) writeSync(file, new Uint8Array(rowOf(row).slice().buffer));
    closeSync(file);
  });
  const queryRows = kind === SAME ? (set.kinds.get(SAME) ?? []) : mixed(set, queries);
  return {
    name,
    source,
    metric: set.metric,
    dimension: set.dimension,
    records: set.base.length,
    queries: queryRows.length,
    base: new RowFile(path, set.dimension),
    queryRows: queryRows.map(rowOf),
  };
}

/** One of each other kind after the other. */
function mixed({ kinds }: RealSet, count: number): readonly Float32Array[] {
  const others = [...kinds].filter(([kind]) => kind !== SAME).map(([, rows]) => rows);
  const rows = Array.from({ length: count }, (_, at) =>
    others[at % others.length]?.at(Math.floor(at / others.length)),
  );
  return rows.filter((row) => row !== undefined);
}

function unit(row: Float32Array): Float32Array {
  const norm = Math.hypot(...row);
  return norm === 0 ? row : row.map((value) => value / norm);
}
