// Copies of the reference model: all it holds as JSON behind a checksum.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { IndexProfile } from '../../domain/index-model.ts';
import { CopyFailed } from '../port/copy-failed.ts';
import type { IndexExport } from '../port/index-copies.ts';
import type { StorableRecord } from '../port/reader-and-writer.ts';
import { NaiveIndex, type NaiveState } from './naive-index.ts';

const HEADER_BYTES = 8;

interface NaiveCopy extends NaiveState {
  readonly shape: string;
}

export function exportNaive(index: NaiveIndex, profile: IndexProfile): IndexExport {
  const state = index.state();
  const records = state.namespaces.flatMap((namespace) => namespace.records);
  const copy: NaiveCopy = { ...state, shape: shapeOf(profile) };
  const json = Buffer.from(JSON.stringify(copy, plainArrays));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(crc32(json), 0);
  header.writeUInt32LE(json.length, 4);
  return {
    seq: state.lsn,
    recordCount: records.length,
    namespaceCount: state.namespaces.length,
    sizeBytes: state.namespaces.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    bytesExpected: HEADER_BYTES + json.length,
    bytes: (async function* () {
      yield header;
      yield json;
    })(),
    sha256: Promise.resolve(createHash('sha256').update(header).update(json).digest('hex')),
    release: async () => {},
  };
}

/** @throws CopyFailed */
export async function importNaive(
  profile: IndexProfile,
  bytes: AsyncIterable<Uint8Array>,
): Promise<NaiveIndex> {
  const all = Buffer.concat(await Array.fromAsync(bytes));
  const json = all.subarray(HEADER_BYTES);
  const isWhole =
    all.length >= HEADER_BYTES && json.length === all.readUInt32LE(4) && crc32(json) === all.readUInt32LE(0);
  if (!isWhole) throw new CopyFailed('damaged', 'the checksum is wrong');
  const copy = JSON.parse(json.toString()) as NaiveCopy;
  if (copy.shape !== shapeOf(profile)) throw new CopyFailed('mismatch', `the copy is of ${copy.shape}`);
  return NaiveIndex.of(profile, {
    lsn: copy.lsn,
    namespaces: copy.namespaces.map((each) => ({ ...each, records: each.records.map(typed) })),
  });
}

function shapeOf({ vectorType, metric, dimension }: IndexProfile): string {
  return [vectorType, metric, dimension].join(' ');
}

function plainArrays(_key: string, value: unknown): unknown {
  return value instanceof Float32Array || value instanceof Uint32Array ? Array.from(value) : value;
}

function typed({ values, sparse, ...rest }: StorableRecord): StorableRecord {
  return {
    ...rest,
    values: values === null ? null : Float32Array.from(values),
    sparse: sparse && {
      indices: Uint32Array.from(sparse.indices),
      values: Float32Array.from(sparse.values),
    },
  };
}
