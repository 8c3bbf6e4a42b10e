// Snapshots that replace each other at one path: a reader must see one of them completely.
import assert from 'node:assert/strict';
import { fillParts } from '../fill-parts.ts';
import { readHeader } from '../read-header.ts';
import { writeSnapshot } from '../write-snapshot.ts';
import { assertSameParts, emptySample, type PartShape, sample } from './sample.ts';

const SHAPES: readonly PartShape[] = [
  { name: 'codes', count: 70, bytesEach: 65_536 },
  { name: 'live', count: 9, bytesEach: 4_096 },
];
const CHUNK_BYTES = 65_536;

export async function writeGeneration(path: string, generation: number): Promise<void> {
  const source = { ...sample(SHAPES, generation), header: { generation } };
  await writeSnapshot(path, source, { chunkBytes: CHUNK_BYTES });
}

/** Which generation lies at `path`, after checking all its bytes; null when another one came between two reads. */
export function readGeneration(path: string): number | null {
  const snapshot = readHeader(path);
  assert.ok(snapshot.usable, snapshot.usable ? '' : snapshot.detail);
  const { generation } = snapshot.header as { readonly generation: number };
  const read = emptySample(SHAPES, 0);
  const filled = fillParts(snapshot, read.memory, read.parts);
  if (!filled.usable) {
    assert.equal(filled.detail, 'another file has taken its place');
    return null;
  }
  assert.deepEqual(filled.damaged, []);
  const expected = sample(SHAPES, generation);
  assertSameParts(read, expected);
  return generation;
}
