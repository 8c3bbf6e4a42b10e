// Frames are read as they were written, however their bytes are split, and only those of one copy in their order.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { parseHead, STORAGE_FORMAT } from './copy-head.ts';
import { COPY_FORMAT, COPY_ID_BYTES, type Frame, FrameReader, FrameWriter, Kind } from './frames.ts';

const PAYLOADS = ['', 'a', 'some longer payload', 'x'.repeat(300)];

function framesOf(copyId = randomBytes(COPY_ID_BYTES)): Uint8Array[] {
  const writer = new FrameWriter(copyId);
  return PAYLOADS.map((payload, label) =>
    writer.frame({ kind: Kind.table, label, shrinks: true }, Buffer.from(payload)),
  );
}

function read(pieces: readonly Uint8Array[]): {
  readonly frames: readonly Frame[];
  readonly reader: FrameReader;
} {
  const reader = new FrameReader();
  return { frames: pieces.flatMap((piece) => [...reader.read(piece)]), reader };
}

it('reads frames whole, however their bytes are split', () => {
  const bytes = Buffer.concat(framesOf());
  const property = fc.property(fc.array(fc.nat({ max: bytes.length }), { maxLength: 20 }), (cuts) => {
    const ends = [...cuts, bytes.length].sort((a, b) => a - b);
    const { frames, reader } = read(ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end)));
    assert.deepEqual(
      frames.map(({ kind, label, payload }) => [kind, label, payload.toString()]),
      PAYLOADS.map((payload, label) => [Kind.table, label, payload]),
    );
    assert.ok(!reader.isWithinFrame && reader.count === PAYLOADS.length);
  });
  fc.assert(property, { seed: 2, numRuns: 100 });
});

it('rejects frames of another copy, out of order, or doubled', () => {
  const [first, second, third] = framesOf() as [Uint8Array, Uint8Array, Uint8Array];
  const [, other] = framesOf() as [Uint8Array, Uint8Array];
  for (const pieces of [[first, other], [first, third, second], [first, first], [second]])
    assert.throws(() => read(pieces), { reason: 'damaged' });
});

it('detects any changed bit', () => {
  const bytes = Buffer.concat(framesOf());
  for (let bit = 0; bit < bytes.length * 8; bit += 3) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.throws(() => {
      // A length that is too large would have no end.
      assert.ok(!read([changed]).reader.isWithinFrame);
    }, /the copy cannot be used/);
  }
});

it('distinguishes a copy of a later release from damage', () => {
  const frame = Buffer.from(framesOf()[0] ?? []);
  frame.writeUInt8(COPY_FORMAT + 1, 4);
  frame.writeUInt32LE(crc32(frame.subarray(0, 36)), 36);
  assert.throws(() => read([frame]), { reason: 'newer' });
  const { vectorType, metric, dimension } = sampleProfile();
  const details = { seq: 1, recordCount: 0, namespaceCount: 0, sizeBytes: 0, numbers: {} };
  const head = { ...details, storage: STORAGE_FORMAT + 1, vectorType, metric, dimension };
  assert.throws(() => parseHead(Buffer.from(JSON.stringify(head)), sampleProfile()), { reason: 'newer' });
});
