// The binary codes through which searches enter a graph come from its file: a start reads no rows to make them.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { BINARY_CODES, type SavedClusters } from '../ann/cluster-memory.ts';
import type { InProcessIndex } from '../in-process-index.ts';
import type { MemoryPart } from '../storage/derived-files/parts.ts';
import { readHeader } from '../storage/derived-files/read-header.ts';
import { writeSnapshot } from '../storage/derived-files/write-snapshot.ts';
import { derivedFixture, ON_DISK } from '../testing/derived-fixture.ts';

const FILE = '1.0.segment';

interface Header {
  readonly state: { readonly graph: { readonly regions: SavedClusters } };
}

function segmentOf({ parts }: InProcessIndex) {
  const [segment] = parts.loaded.segments();
  assert.ok(segment !== undefined);
  return segment;
}

function binaryCodesPart(index: InProcessIndex): MemoryPart {
  const part = segmentOf(index)
    .save()
    .parts.find(({ name }) => name === BINARY_CODES);
  assert.ok(part !== undefined && 'addresses' in part);
  return part;
}

/** The binary codes in memory. */
function binaryCodesOf(index: InProcessIndex): Buffer {
  const { arena } = segmentOf(index).context;
  const { addresses, bytesEach } = binaryCodesPart(index);
  return Buffer.concat(
    Array.from(addresses, (from) => arena.bytes(from + bytesEach).slice(from, from + bytesEach)),
  );
}

/** Writes the segment to its file again, with or without binary codes. */
async function writeAgain(index: InProcessIndex, path: string, hasBinaryCodes: boolean): Promise<void> {
  const file = readHeader(path);
  assert.ok(file.usable);
  const header = structuredClone(file.header) as Header;
  const segment = segmentOf(index);
  const { parts } = segment.save();
  const { binaryCodeFrames, ...regions } = header.state.graph.regions;
  assert.ok(binaryCodeFrames !== undefined);
  if (!hasBinaryCodes) Object.assign(header.state.graph, { regions });
  await writeSnapshot(path, {
    memory: segment.context.arena.memory,
    header,
    parts: hasBinaryCodes ? parts : parts.filter(({ name }) => name !== BINARY_CODES),
  });
}

for (const memoryProfile of ['memory', 'disk'] as const)
  it(`takes binary codes from a file as they are, and makes them where it lacks them (${memoryProfile})`, async (test) => {
    const profile = { ...ON_DISK, memoryProfile };
    const { derived, prepare, open, check } = derivedFixture(test, { profile });
    const path = join(derived, FILE);
    await prepare();
    const { index } = open();
    await check();
    const codes = binaryCodesOf(index);
    const [at = 0] = Array.from(binaryCodesPart(index).addresses);
    const memory = segmentOf(index).context.arena.bytes(at + 1);
    memory[at] = (memory[at] ?? 0) ^ 1;
    await writeAgain(index, path, true);
    await index.close();

    const second = open();
    await check();
    const taken = binaryCodesOf(second.index);
    assert.equal(taken[0], (codes[0] ?? 0) ^ 1);
    assert.ok(taken.subarray(1).equals(codes.subarray(1)));
    await writeAgain(second.index, path, false);
    await second.index.close();

    const third = open();
    await check();
    assert.ok(binaryCodesOf(third.index).equals(codes));
    assert.deepEqual([second.builders.inserted, third.builders.inserted], [0, 0]);
  });
