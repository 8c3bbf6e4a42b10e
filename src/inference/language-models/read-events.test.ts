// Server-sent events are read alike in any chunking and with any line endings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readEvents } from './read-events.ts';

/** Bytes in pieces of these sizes, again and again. */
async function* chunked(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const size = sizes[piece % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const read = (text: string, sizes: readonly number[] = [1_000]) =>
  Array.fromAsync(readEvents(chunked(text, sizes)));

test('reads the data of events in any chunking, with line feeds, carriage returns or both', async () => {
  const data = fc.array(fc.constantFrom('a', '{"b": "é😀"}', ' c '), { minLength: 1, maxLength: 3 });
  const events = fc.array(data, { maxLength: 4 });
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 });
  const ends = fc.array(fc.constantFrom('\n', '\r', '\r\n'), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(events, ends, sizes, async (list, lineEnds, pieces) => {
      let lines = 0;
      const end = () => lineEnds[lines++ % lineEnds.length] ?? '\n';
      const text = list
        .map(
          (parts) => `${parts.map((part) => `data: ${part}${end()}`).join('')}: note${end()}${blank(end())}`,
        )
        .join('');
      assert.deepEqual(
        await read(text, pieces),
        list.map((parts) => parts.join('\n')),
      );
    }),
    { seed: 11 },
  );
});

/** An empty line. A line feed alone would belong to a carriage return before it. */
function blank(end: string): string {
  return end === '\n' ? '\r\n' : end;
}

test('passes an event on with its last byte, also where a line feed may follow', async () => {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('data: a\r\r');
    assert.fail('the event is held back');
  }
  for await (const data of readEvents(pieces())) {
    assert.equal(data, 'a');
    break;
  }
});

test('passes over events without data, which keep a connection open', async () => {
  for (const idle of [
    'data:\n\n',
    'data: \n\n',
    'data\n\n',
    'event: ping\ndata:\ndata:\n\n',
    ':\n\n',
    'retry: 1\n\n',
  ])
    assert.deepEqual(await read(`${idle}data: a\n\n${idle}data: b\n\n${idle}`), ['a', 'b'], idle);
});
