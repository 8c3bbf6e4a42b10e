// Frames of portable copies: read from pieces of any size, and damage found without needless work.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { it } from 'node:test';
import fc from 'fast-check';
import { CopyFailed } from './copy-failed.ts';
import { type FrameKind, FrameWriter, framesOf } from './portable-copy.ts';

const HEADER_BYTES = 13;
const PIECE_BYTES = 65_536;

function written(contents: readonly Uint8Array[]): { readonly bytes: Buffer; readonly sha256: string } {
  const writer = new FrameWriter();
  const kinds: readonly FrameKind[] = ['head', ...contents.slice(1).map(() => 'records' as const)];
  const frames = contents.map((content, at) => writer.frame(kinds[at] ?? 'records', content));
  const bytes = Buffer.concat([...frames, writer.frame('end', new Uint8Array())]);
  return { bytes, sha256: writer.digest() };
}

async function* cut(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  // One buffer for all pieces, as some streams have it.
  const shared = new Uint8Array(pieceBytes);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = bytes.subarray(at, at + pieceBytes);
    shared.set(piece);
    yield shared.subarray(0, piece.length);
  }
}

it('reads the same frames from pieces of any size, and refuses every truncation and flipped bit', async () => {
  const contents = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(contents, fc.integer({ min: 1, max: 60 }), fc.nat(), async (all, size, at) => {
      const { bytes, sha256 } = written(all);
      const frames = await Array.fromAsync(framesOf(cut(bytes, size), sha256));
      assert.deepEqual(
        frames.slice(0, -1).map(({ content }) => [...content]),
        all.map((content) => [...content]),
      );
      const place = at % bytes.length;
      const flipped = Uint8Array.from(bytes);
      flipped[place] = (flipped[place] ?? 0) ^ (1 << (at % 8));
      for (const damaged of [bytes.subarray(0, place), flipped, Buffer.concat([bytes, bytes.subarray(0, 1)])])
        await assert.rejects(Array.fromAsync(framesOf(cut(damaged, size), undefined)), CopyFailed);
    }),
    { seed: 18, numRuns: 200 },
  );
});

it('copies each byte only a few times where a damaged length promises a frame of the largest size', async (context) => {
  const { bytes } = written([new Uint8Array(64), new Uint8Array(8 * 2 ** 20)]);
  bytes.writeUInt32LE(2 ** 28, HEADER_BYTES + 64 + 5);
  let copied = 0;
  const { concat } = Buffer;
  context.mock.method(Buffer, 'concat', (pieces: readonly Uint8Array[]) => {
    const joined = concat(pieces);
    copied += joined.length;
    return joined;
  });
  await assert.rejects(Array.fromAsync(framesOf(cut(bytes, PIECE_BYTES), undefined)), CopyFailed);
  assert.ok(copied < 3 * bytes.length, `${copied} bytes were copied`);
});
