// Guarantees of verified bytes: whole content passes unchanged, and no damaged content ends as if it were whole.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { FileDamaged, verifiedBytes } from './verified-bytes.ts';

const WHOLE = Buffer.from('some text that was uploaded');
const SHA256 = createHash('sha256').update(WHOLE).digest('hex');

async function* pieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

it('passes whole content on, in pieces of any length', async () => {
  for (let length = 1; length <= WHOLE.length; length++) {
    const read = await Array.fromAsync(verifiedBytes(pieces(WHOLE, length), SHA256));
    assert.deepEqual(Buffer.concat(read), WHOLE);
  }
});

it('never passes all bytes of damaged content', async () => {
  const flipped = Buffer.from(WHOLE);
  flipped[3] = (flipped[3] ?? 0) ^ 1;
  for (const damaged of [flipped, WHOLE.subarray(1), WHOLE.subarray(0, 9), Buffer.alloc(0)])
    for (let length = 1; length <= WHOLE.length; length += 5) {
      let bytes = 0;
      const reading = async () => {
        for await (const piece of verifiedBytes(pieces(damaged, length), SHA256)) bytes += piece.length;
      };
      await assert.rejects(reading, FileDamaged);
      assert.ok(bytes < Math.max(1, damaged.length), `${bytes} of ${damaged.length}`);
    }
});
