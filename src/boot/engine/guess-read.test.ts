// What reads are expected to take, from their bytes alone.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { guessReadMs } from './guess-read.ts';

const index = { dimension: 256 } as const;

function guess(text: string, query = {}): number | undefined {
  return guessReadMs({ body: [Buffer.from(text)], query, index });
}

it('expects searches for many records to take long, however the number is written', () => {
  const long = guess('{"vector":[0.1,0.2],"topK":10000}') ?? 0;
  assert.ok(long > 100 && long < 200, String(long));
  assert.equal(guess('{ "topK" : 10000, "vector": [1] }'), long);
  assert.equal(guess('{"query":{"inputs":{"text":"a"},"top_k":10000}}'), long);
  assert.equal(guess('{"topK":99999999999999999999}'), long);
  const pieces = ['{"vector":[1],', '"topK":10000}'].map((piece) => Buffer.from(piece));
  assert.equal(guessReadMs({ body: pieces, query: {}, index }), long);
});

it('expects large fetches to take long, in proportion to the numbers that they write', () => {
  const ids = Array.from({ length: 1_000 }, (_, i) => `id-${i}`);
  const fetched = guess('', { ids }) ?? 0;
  assert.ok(fetched > 10 && fetched < 50, String(fetched));
  assert.ok((guessReadMs({ body: [], query: { ids }, index: { dimension: 1_024 } }) ?? 0) > 2 * fetched);
});

it('knows nothing of reads that ask for little, or do not say how much', () => {
  for (const text of ['', '{}', '{"topK":10}', '{"topK":"many"}', '{"top\\u004b":10000}', 'not JSON "topK"'])
    assert.equal(guess(text), undefined, text);
  assert.equal(guess('', { ids: 'one' }), undefined);
  assert.equal(guess(`{"a":"${'x'.repeat(70_000)}","topK":10000}`), undefined);
});
