// Text upserts: which parts of a line are stored, how lines may arrive, and that a refused request stores nothing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shareAliases } from '../../../domain/aliases/alias-names.ts';
import { assertRefused, dataError, makeTestIndex, type TestIndex } from '../testing/data-client.ts';
import { denseTexts, lines, params, sparseTexts, upsert } from '../testing/text-client.ts';

const STALE = {
  status: 412,
  name: 'FAILED_PRECONDITION',
  code: 9,
};

async function stored(index: TestIndex, ...ids: readonly string[]): Promise<readonly unknown[]> {
  const records = await index.store.fetch('n', ids);
  return records.map(({ id, metadataJson }) => ({ _id: id, ...JSON.parse(metadataJson ?? '{}') }));
}

async function assertEmpty(index: TestIndex): Promise<void> {
  assert.equal(await index.store.describeNamespace('n'), null);
}

describe('POST /records/namespaces/{namespace}/upsert', () => {
  it('stores every field but the id as metadata, with the vector of the text', async () => {
    const index = denseTexts();
    const a = { _id: 'a', text: 'one two', year: 2020, tags: ['x'], ok: true };
    const reply = await upsert(index, lines(a, { id: 'b', text: 'three' }));
    assert.deepEqual([reply.status, reply.text], [201, '']);
    assert.equal(reply.headers['x-pinecone-request-lsn'], '1');
    assert.deepEqual(await stored(index, 'a', 'b'), [a, { _id: 'b', text: 'three' }]);
    const [record] = await index.store.fetch('n', ['a']);
    assert.equal(record?.values?.length, 384);
    assert.ok(Math.abs(Math.hypot(...(record?.values ?? [])) - 1) < 1e-6);
  });

  it('stores sparse vectors of a sparse model', async () => {
    const index = sparseTexts();
    await upsert(index, lines({ _id: 'a', text: 'one two one' }));
    const [record] = await index.store.fetch('n', ['a']);
    assert.deepEqual([record?.values, record?.sparse?.indices.length], [null, 2]);
  });

  it('accepts any line endings, blank lines, and multi-byte characters split between chunks', async () => {
    const index = denseTexts();
    const body = `\r\n{"_id":"a","text":"žluťoučký 🐎"}\r\n \n\t\n{"_id":"b","text":"\\ud83d\\udc0e"}\n\n`;
    assert.equal((await upsert(index, body)).status, 201);
    assert.deepEqual(await stored(index, 'a', 'b'), [
      { _id: 'a', text: 'žluťoučký 🐎' },
      { _id: 'b', text: '🐎' },
    ]);
  });

  it('stores the last of several records with one id', async () => {
    const index = denseTexts();
    await upsert(index, lines({ _id: 'a', text: 'one' }, { _id: 'a', text: 'two' }));
    assert.deepEqual(await stored(index, 'a'), [{ _id: 'a', text: 'two' }]);
  });

  it('embeds the field that the field map names, with the write parameters', async () => {
    const index = denseTexts({ textField: 'body', writeParameters: { truncate: 'NONE' } });
    assert.equal((await upsert(index, lines({ _id: 'a', body: 'x', text: 'y' }))).status, 201);
    const long = 'word '.repeat(2_049);
    const body = `\n${lines({ _id: 'a', body: 'z' }, { _id: 'b', body: long })}`;
    await assertRefused(
      upsert(index, body),
      /^Line 3: Field '[^']+' has 2049 tokens.*2048.*write_parameters/,
    );
    assert.deepEqual(await stored(index, 'a', 'b'), [{ _id: 'a', body: 'x', text: 'y' }]);
  });

  it('takes either id beside the other as null', async () => {
    const index = denseTexts();
    const records = [
      { _id: 'a', id: null, text: 'x' },
      { _id: null, id: 'b', text: 'y' },
    ];
    assert.equal((await upsert(index, lines(...records))).status, 201);
    assert.deepEqual(await stored(index, 'a', 'b'), [
      { _id: 'a', text: 'x' },
      { _id: 'b', text: 'y' },
    ]);
  });

  const good = { _id: 'ok', text: 'fine' };
  const refusals: readonly (readonly [string, string, string | RegExp])[] = [
    ['an empty request', '', 'The request holds no record: send one JSON object a line'],
    ['no id', lines(good, { text: 'x' }), 'Line 2: A record needs an _id'],
    ['ids that are null', lines({ _id: null, id: null, text: 'x' }), 'Line 1: A record needs an _id'],
    ['both ids', lines(good, { _id: 'a', id: 'a', text: 'x' }), 'Line 2: Give either _id or id, not both'],
    ['an id that is no text', lines({ _id: 7, text: 'x' }), 'Line 1: Vector ID must be a string'],
    ['no text', lines({ _id: 'a' }), "Line 1: Field 'text', which the index embeds, is missing"],
    ['a text of another type', lines({ _id: 'a', text: 1 }), "Line 1: Field 'text' must be a string"],
    ['an empty text', lines(good, { _id: 'a', text: ' \n' }), "Line 2: Field 'text' must not be empty"],
    ['a null', lines({ ...good, x: null }), /^Line 1: Metadata value must be .* got 'null' for field 'x'/],
    ['a nested value', lines({ ...good, x: { y: 1 } }), /^Line 1: Metadata value must be/],
    ['a reserved name', lines({ ...good, $x: 1 }), /^Line 1: Metadata field names must not start with '\$'/],
    ['a list', `${lines(good)}\n\n[1]`, 'Line 3: Each record must be a JSON object'],
    ['what is no JSON', `${lines(good)}\n{"_id":`, /^Line 2: The request body is not valid JSON/],
    ['two records in a line', lines(good) + lines(good), /^Line 1: The request body is not valid JSON/],
    ['half a surrogate pair', '{"_id":"a","text":"\\ud800"}', /^Line 1: .*unpaired surrogate/],
    [
      'deep nesting',
      `{"_id":"a","text":"x","y":${'['.repeat(70)}${']'.repeat(70)}}`,
      /^Line 1: .*nested deeper/,
    ],
    [
      'a text of a megabyte',
      lines({ _id: 'a', text: 'x'.repeat(1e6) }),
      /^Line 1: Metadata size is 1000011 bytes/,
    ],
  ];
  for (const [what, body, message] of refusals) {
    it(`refuses ${what}, and stores nothing of the request`, async () => {
      const index = denseTexts();
      await assertRefused(upsert(index, body), message);
      await assertEmpty(index);
    });
  }

  it('refuses bytes that are not UTF-8, and more than 2 MB before it has read them all', async () => {
    const index = denseTexts();
    const broken = Buffer.concat([Buffer.from('{"_id":"a","text":"'), Buffer.of(0xff), Buffer.from('"}')]);
    await assertRefused(upsert(index, broken), /^Line 1: .*not valid UTF-8/);
    const record = lines({ _id: 'a', text: 'x'.repeat(30_000) });
    const body = Array.from({ length: 80 }, () => record).join('\n');
    await assertRefused(upsert(index, body), /^Request size 2\.00MB exceeds/);
    await assertEmpty(index);
  });

  it('refuses more records than the model accepts in a batch', async () => {
    const index = denseTexts();
    const many = Array.from({ length: 97 }, (_, i) => ({ _id: `r${i}`, text: 'x' }));
    await assertRefused(
      upsert(index, lines(...many)),
      'A request must hold at most 96 records; line 97 exceeds that',
    );
    await assertEmpty(index);
    assert.equal((await upsert(index, lines(...many.slice(1)))).status, 201);
  });

  it('refuses a text without words for a sparse model', async () => {
    const index = sparseTexts();
    // The test's model knows no word in white space; that of a line's text is refused before it is asked.
    await assertRefused(
      upsert(index, lines({ _id: 'ok', text: 'fine' }, { _id: 'a', text: '' })),
      "Line 2: Field 'text' must not be empty",
    );
    await assertEmpty(index);
  });

  it('stores nothing when the model fails, and reports that a retry may succeed', async () => {
    const index = denseTexts();
    index.inference.fail('connection refused');
    const reply = await upsert(index, lines({ _id: 'a', text: 'x' }));
    assert.equal(reply.status, 503);
    await assertEmpty(index);
    index.inference.fail(null);
    assert.equal((await upsert(index, lines({ _id: 'a', text: 'x' }))).status, 201);
  });

  it('returns 412 when the source of vectors has changed, and during re-embedding', async () => {
    const index = denseTexts();
    index.inference.setRevision('2');
    const record = lines({ _id: 'a', text: 'x' });
    const message = (stored: string) =>
      `The vectors of index ${index.name} were made by ${stored}, and its model is now served by test 2. ` +
      `Run: pinyon reembed ${index.name} - or restore the provider.`;
    const reply = await upsert(index, record);
    assert.deepEqual(reply.json, dataError(STALE, message('test 1')));
    const remaking = denseTexts({ remaking: { provider: 'test', revision: '2' } });
    remaking.inference.setRevision('2');
    const other = await upsert(remaking, record);
    assert.deepEqual(other.json, dataError(STALE, message('test 1 and, in part, by test 2')));
    await assertEmpty(index);
    await assertEmpty(remaking);
  });

  it('returns 400 for plain indexes, without reading the lines', async () => {
    const index = makeTestIndex();
    await assertRefused(upsert(index, 'nonsense'), 'Integrated inference is not configured for this index');
  });

  it('refuses a bad namespace and an alias before calling a model', async () => {
    const index = denseTexts();
    const bad = { params: { ...params, namespace: 'ü' } };
    await assertRefused(upsert(index, lines({ _id: 'a', text: 'x' }), bad), /^Namespace must be ASCII/);
    const aliases = shareAliases({ targets: [['n', 'target']], reserved: null });
    assert.ok(aliases !== undefined);
    assert.equal((await upsert(index, lines({ _id: 'a', text: 'x' }), { aliases })).status, 409);
    assert.equal(index.inference.counts.texts, 0);
  });
});
