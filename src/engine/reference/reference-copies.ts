// Copies of a reference index: its whole content as JSON, after a checksum.

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { IndexProfile } from '../../domain/index-model.ts';
import { parseOwnJson } from '../../domain/json.ts';
import { CopyFailed } from '../port/copy-failed.ts';
import type {
  CopyDetails,
  ImportOptions,
  IndexExport,
  ReadingOptions,
  RecordBatch,
  RecordReading,
} from '../port/index-copies.ts';
import { packRecords } from '../port/packed-records.ts';
import type { StorableRecord } from '../port/reader-and-writer.ts';
import type { ReferenceState } from './reference-index.ts';

const HEADER_BYTES = 8;

interface ReferenceCopy extends ReferenceState {
  /** Vector type, metric and dimension of the index. */
  readonly shape: string;
}

export function exportState(state: ReferenceState, profile: IndexProfile): IndexExport {
  const copy: ReferenceCopy = { ...state, shape: shapeOf(profile) };
  const json = Buffer.from(JSON.stringify(copy, plainArrays));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(crc32(json), 0);
  header.writeUInt32LE(json.length, 4);
  return {
    ...detailsOf(state),
    bytesExpected: HEADER_BYTES + json.length,
    bytes: (async function* () {
      yield Uint8Array.from(header);
      yield Uint8Array.from(json);
    })(),
    sha256: Promise.resolve(createHash('sha256').update(header).update(json).digest('hex')),
    release: async () => {},
  };
}

/** Reads a copy back. @throws CopyFailed damaged or mismatch; the signal's reason */
export async function importState(
  profile: IndexProfile,
  bytes: AsyncIterable<Uint8Array>,
  { signal, sha256, lsnAhead = 0 }: ImportOptions,
): Promise<{ readonly state: ReferenceState; readonly details: CopyDetails }> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) {
    signal?.throwIfAborted();
    pieces.push(piece);
  }
  const all = Buffer.concat(pieces);
  const json = all.subarray(HEADER_BYTES);
  const isWhole =
    all.length >= HEADER_BYTES && json.length === all.readUInt32LE(4) && crc32(json) === all.readUInt32LE(0);
  const isExpected = sha256 === undefined || createHash('sha256').update(all).digest('hex') === sha256;
  if (!isWhole || !isExpected) throw new CopyFailed('damaged', 'the checksum is wrong');
  // The checksum shows that `exportState` wrote it.
  const copy = parseOwnJson<ReferenceCopy>(json.toString());
  if (!fits(copy.shape, profile)) throw new CopyFailed('mismatch', `the copy is of ${copy.shape}`);
  const namespaces = copy.namespaces.map((each) => ({ ...each, records: each.records.map(typed) }));
  const state = { lsn: copy.lsn + lsnAhead, namespaces };
  return { state, details: detailsOf(state) };
}

/** Reads the records of a state, one batch for each namespace. */
export function readState(
  state: ReferenceState,
  { dimension }: IndexProfile,
  { namespace: only, after }: ReadingOptions,
): RecordReading {
  const chosen = state.namespaces.filter(({ name }) => only === undefined || name === only);
  async function* batches(): AsyncGenerator<RecordBatch> {
    for (const { records, ...namespace } of chosen) {
      if (after !== undefined && namespace.name < after.namespace) continue;
      const first = after?.namespace === namespace.name ? after.id : null;
      const rest = records.filter(({ id }) => first === null || id > first);
      yield { namespace, isLast: true, records: packRecords(rest, dimension) };
    }
  }
  return {
    ...detailsOf({ ...state, namespaces: chosen }),
    batches: batches(),
    release: async () => {},
  };
}

function detailsOf({ lsn, namespaces }: ReferenceState): CopyDetails {
  return {
    seq: lsn,
    recordCount: namespaces.reduce((sum, { recordCount }) => sum + recordCount, 0),
    namespaceCount: namespaces.length,
    sizeBytes: namespaces.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}

function shapeOf({ vectorType, metric, dimension }: IndexProfile): string {
  return [vectorType, metric, dimension].join(' ');
}

/** An index of another metric takes the records, too. */
function fits(shape: string, profile: IndexProfile): boolean {
  const [vectorType, , dimension] = shape.split(' ');
  return vectorType === profile.vectorType && dimension === `${profile.dimension ?? ''}`;
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
