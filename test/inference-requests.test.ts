// Raw requests to inference and text records: bad input of every kind, and who may ask.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { AdminService } from './support/admin.ts';
import { both, INVALID_DATA, standard } from './support/bodies.ts';
import { type Answer, call } from './support/call.ts';
import { API_KEY } from './support/service.ts';

const LLAMA = 'llama-text-embed-v2';
const PASSAGE = { input_type: 'passage' };
const NDJSON = { 'content-type': 'application/x-ndjson' };
const MEGABYTE = 'word '.repeat(200_000);

describe('requests to inference', () => {
  let admin: AdminService;
  let url: string;
  let host: string;
  before(async () => {
    admin = await AdminService.start();
    url = admin.service.url;
    const embed = { model: LLAMA, dimension: 384, field_map: { text: 'text' } };
    const body = { name: 'texts', cloud: 'aws', region: 'us-east-1', embed };
    const made = await call(url, 'POST', '/indexes/create-for-model', { key: API_KEY, body });
    assert.equal(made.status, 201, made.text);
    host = (made.body as { readonly host: string }).host;
  });
  after(() => admin.dispose());

  const embed = (body: unknown, key: string | null = API_KEY) => call(url, 'POST', '/embed', { key, body });
  const rerank = (body: unknown, key: string | null = API_KEY) => call(url, 'POST', '/rerank', { key, body });
  const records = (operation: string, body: unknown, key = API_KEY) =>
    call(host, 'POST', `/records/namespaces/n/${operation}`, {
      key,
      body,
      ...(operation === 'upsert' && { headers: NDJSON }),
    });

  /** A 400 in the body of its plane. */
  function refused(answer: Answer, message: RegExp, isRecords = false): void {
    assert.equal(answer.status, 400, answer.text);
    const { error } = answer.body as { readonly error: { readonly message: string } };
    assert.match(error.message, message);
    const expected = isRecords
      ? both(INVALID_DATA, error.message)
      : standard(400, 'INVALID_ARGUMENT', error.message);
    assert.deepEqual(answer.body, expected);
  }

  describe('bad requests to inference', () => {
    const inputs = [{ text: 'x' }];
    const cases: readonly (readonly [string, unknown, RegExp])[] = [
      ['an empty text', { model: LLAMA, inputs: [{ text: '' }], parameters: PASSAGE }, /must not be empty/],
      [
        '97 inputs',
        { model: LLAMA, inputs: Array(97).fill({ text: 'x' }), parameters: PASSAGE },
        /97 entries/,
      ],
      ['an unknown parameter', { model: LLAMA, inputs, parameters: { ...PASSAGE, x: 1 } }, /parameters\.x/],
      ['a wrong dimension', { model: LLAMA, inputs, parameters: { ...PASSAGE, dimension: 7 } }, /dimension/],
      ['half a surrogate pair', `{"model":"${LLAMA}","inputs":[{"text":"\\udc00"}]}`, /unpaired surrogate/],
      ['no JSON', '{', /not valid JSON/],
      ['brackets', `{"model":"m","inputs":[${'[],'.repeat(30_000)}[]]}`, /more than 20000 objects and lists/],
      ['depth', '['.repeat(100), /nested deeper than 64/],
      [
        'a long text that must not be cut',
        { model: LLAMA, inputs: [{ text: MEGABYTE }], parameters: { ...PASSAGE, truncate: 'NONE' } },
        /200000 tokens/,
      ],
    ];
    for (const [what, body, message] of cases) {
      it(`are refused by embed: ${what}`, async () => refused(await embed(body), message));
    }

    it('cut a text of a megabyte, and count it as cut', async () => {
      const answer = await embed({ model: LLAMA, inputs: [{ text: MEGABYTE }], parameters: PASSAGE });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual((answer.body as { readonly usage: unknown }).usage, { total_tokens: 2_048 });
    });

    it('are not read beyond two megabytes', async () => {
      const answer = await embed({
        model: LLAMA,
        inputs: [{ text: MEGABYTE.repeat(3) }],
        parameters: PASSAGE,
      });
      assert.equal(answer.status, 413, answer.text);
    });

    it('are refused by rerank: missing fields, too many documents, and a negative count', async () => {
      const good = { model: 'bge-reranker-v2-m3', query: 'x', documents: [{ text: 'x' }, { text: 'y' }] };
      const refuses = async (body: object, message: RegExp) =>
        refused(await rerank({ ...good, ...body }), message);
      await refuses(
        { documents: [{ text: 'x' }, { body: 'y' }] },
        /field 'text' not found in document at index 1/,
      );
      await refuses({ documents: Array(101).fill({ text: 'x' }) }, /101 entries/);
      await refuses({ top_n: -1 }, /top_n must be an integer/);
      await refuses({ documents: [{ text: MEGABYTE }] }, /maximum token limit of 1024/);
    });

    it('get 404 for an unknown model', async () => {
      const answer = await call(url, 'GET', '/models/nothing', { key: API_KEY });
      assert.deepEqual(answer.body, standard(404, 'NOT_FOUND', 'Model nothing not found.'));
    });
  });

  describe('bad requests to text records', () => {
    const line = (record: object) => JSON.stringify(record);
    const good = line({ _id: 'good', text: 'fine' });
    const cases: readonly (readonly [string, string, RegExp])[] = [
      ['an empty text', line({ _id: 'a', text: '' }), /^Line 2: Field 'text' must not be empty/],
      [
        'a text of a megabyte',
        line({ _id: 'a', text: MEGABYTE }),
        /^Line 2: Metadata size is 10000\d\d bytes/,
      ],
      ['half a surrogate pair', '{"_id":"a","text":"\\ud800"}', /^Line 2: .*unpaired surrogate/],
      [
        'a missing text',
        line({ _id: 'a', txt: 'x' }),
        /^Line 2: Field 'text', which the index embeds, is missing/,
      ],
      ['97 records', Array(96).fill(good).join('\n'), /at most 96 records; line 97 exceeds that/],
      ['no JSON', '{"_id"', /^Line 2: .*not valid JSON/],
    ];
    for (const [what, bad, message] of cases) {
      it(`are refused by upsert, and store nothing: ${what}`, async () => {
        refused(await records('upsert', `${good}\n${bad}\n`), message, true);
        const fetched = await call(host, 'GET', '/vectors/fetch?ids=good&namespace=n', { key: API_KEY });
        assert.deepEqual((fetched.body as { readonly vectors: unknown }).vectors, {});
      });
    }

    it('are refused by search: no rank field, and a field that one hit lacks', async () => {
      const stored = await records(
        'upsert',
        `${line({ _id: 'a', text: 'tea', n: 'x' })}\n${line({ _id: 'b', text: 'tea' })}`,
      );
      assert.deepEqual([stored.status, stored.text], [201, '']);
      const query = { inputs: { text: 'tea' }, top_k: 2 };
      const rerank = { model: 'bge-reranker-v2-m3', rank_fields: ['n'] };
      refused(await records('search', { query, fields: ['text'], rerank }), /'n' must also be listed/, true);
      refused(
        await records('search', { query, rerank }),
        /field 'n' not found in document at index \d/,
        true,
      );
      refused(
        await records('search', { query: { top_k: 1, inputs: { text: '' } } }),
        /must not be empty/,
        true,
      );
      const wrong = { query: { vector: { values: [1] }, top_k: 1 } };
      refused(await records('search', wrong), /Vector dimension 1 does not match/, true);
    });

    it('get every field for *, which the Python client sends', async () => {
      await records('upsert', line({ _id: 'star', text: 'anise', n: 1 }));
      const answer = await records('search', {
        query: { inputs: { text: 'anise' }, top_k: 1 },
        fields: ['*'],
        rerank: { model: 'bge-reranker-v2-m3', rank_fields: ['text'] },
      });
      const { result } = answer.body as {
        readonly result: { readonly hits: readonly { fields: unknown }[] };
      };
      assert.deepEqual(result.hits[0]?.fields, { n: 1, text: 'anise' });
    });
  });

  describe('addresses in requests', () => {
    it('are never called, wherever they appear', async () => {
      let connections = 0;
      const trap = createServer((socket) => {
        connections++;
        socket.destroy();
      });
      await once(trap.listen(0, '127.0.0.1'), 'listening');
      try {
        const address = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/v1`;
        const inputs = [{ text: address }];
        refused(await embed({ model: address, inputs, parameters: PASSAGE }), /is not available/);
        refused(
          await embed({ model: LLAMA, inputs, parameters: { ...PASSAGE, url: address } }),
          /parameters\.url/,
        );
        const withUrl = {
          model: LLAMA,
          inputs,
          parameters: PASSAGE,
          url: address,
          provider: { url: address },
        };
        assert.equal((await embed(withUrl)).status, 200);
        refused(await rerank({ model: address, query: address, documents: [address] }), /is not available/);
        const found = { model: address, field_map: { text: 'text' }, url: address };
        const place = { name: 'elsewhere', cloud: 'aws', region: 'us-east-1' };
        const body = { ...place, embed: found };
        const made = await call(url, 'POST', '/indexes/create-for-model', { key: API_KEY, body });
        assert.ok(made.status >= 400 && made.status < 500, made.text);
        const query = { inputs: { text: address, url: address }, top_k: 1 };
        const reranking = { model: address, rank_fields: ['text'] };
        refused(await records('search', { query, rerank: reranking }), /is not available/, true);
        assert.equal(connections, 0);
      } finally {
        trap.close();
      }
    });
  });

  describe('roles', () => {
    /** A key of the default project with these roles. */
    async function keyWith(roles: readonly string[]): Promise<string> {
      const { data } = await admin.body<{ data: { id: string }[] }>('GET', '/projects');
      const made = await admin.body<{ value: string }>('POST', `/projects/${data[0]?.id}/api-keys`, {
        body: { name: `key of ${roles.join()}`.toLowerCase(), roles },
      });
      return made.value;
    }
    const asked = { model: LLAMA, inputs: [{ text: 'x' }], parameters: PASSAGE };
    const denied = (permission: string) =>
      standard(403, 'PERMISSION_DENIED', `Access denied: Permission ${permission} is required`);

    it('allow viewers of the data plane to embed and search, but not to write', async () => {
      const key = await keyWith(['DataPlaneViewer']);
      assert.equal((await embed(asked, key)).status, 200);
      assert.equal(
        (await records('search', { query: { inputs: { text: 'x' }, top_k: 1 } }, key)).status,
        200,
      );
      const written = await records('upsert', '{"_id":"v","text":"x"}', key);
      assert.partialDeepStrictEqual(written.body, denied('data_plane::vectors::write'));
    });

    it('allow editors of the control plane to create integrated indexes, but not to use models', async () => {
      const key = await keyWith(['ControlPlaneEditor']);
      const use = denied('data_plane::inference::use');
      assert.deepEqual((await embed(asked, key)).body, use);
      assert.deepEqual((await rerank({}, key)).body, use);
      assert.deepEqual((await call(url, 'GET', '/models', { key })).body, use);
    });

    it('allow nothing without a key, whatever the body', async () => {
      const answer = await embed('{', null);
      assert.deepEqual(answer.body, standard(401, 'UNAUTHENTICATED', 'Invalid API key.'));
    });
  });
});
