// Guarantees of the models setting: errors name the mistake, and valid settings yield models with the catalogue's
// properties.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { readSettings, SettingsProblem } from '../../boot/read-settings.ts';
import { readEmbedParameters, readRerankParameters } from '../../domain/inference/read-parameters.ts';
import { noticesFor } from '../notices.ts';
import { openInference } from '../open-inference.ts';
import { planModels } from '../plan-models.ts';
import { ModelsProblem } from './fields.ts';
import { readProviderSettings } from './provider-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'pinyon-models-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const URL_OF = { url: 'http://localhost:1/v1' };

function planned(settings: Readonly<Record<string, unknown>>) {
  return planModels(readProviderSettings(JSON.stringify(settings)), folder).plan;
}

function modelOf(name: string, setting: unknown) {
  const found = planned({ [name]: setting }).find(
    (each) => each.provider !== 'onnx' && each.model.name === name,
  );
  assert.ok(found !== undefined && found.provider !== 'onnx');
  return found.model;
}

test('serves all names of the catalogue by built-in models without a setting, and says so', () => {
  const plan = planned({});
  assert.ok(plan.every(({ provider }) => provider === 'built-in'));
  assert.equal(
    modelOf('multilingual-e5-large', 'built-in').providerName,
    'Pinyon built-in, in place of Microsoft',
  );
  const [who, how] = noticesFor(plan);
  assert.match(who ?? '', /multilingual-e5-large/);
  assert.match(how ?? '', /pinyon models pull NAME, for .*multilingual-e5-large.*PINYON_MODELS/);
});

test('keeps limits and parameters of a hosted name with any provider', () => {
  const model = modelOf('multilingual-e5-large', { provider: 'openai', ...URL_OF, model: 'e5' });
  assert.equal(model.maxSequenceLength, 507);
  assert.equal(model.providerName, 'e5 at an HTTP provider');
  assert.deepEqual(
    model.parameters.map(({ name }) => name),
    ['input_type', 'truncate'],
  );
});

test('reads no more tokens than the operator says that a provider does, whatever parameters ask for', () => {
  const sparse = modelOf('pinecone-sparse-english-v0', { provider: 'tei', ...URL_OF, max_tokens: 300 });
  const cohere = modelOf('cohere-rerank-4-fast', { provider: 'cohere', ...URL_OF, max_tokens: 1_000 });
  assert.ok(sparse.kind === 'embed' && cohere.kind === 'rerank');
  const embedding = (given: object) =>
    readEmbedParameters(sparse, { input_type: 'passage', ...given }).tokensMax;
  assert.deepEqual([embedding({}), embedding({ max_tokens_per_sequence: 2_048 })], [300, 300]);
  const reranking = (given: object) => readRerankParameters(cohere, { ...given }).tokensMax;
  assert.deepEqual(
    [reranking({}), reranking({ max_tokens_per_doc: 500 }), reranking({ max_tokens_per_doc: 4_096 })],
    [1_000, 500, 1_000],
  );
});

test('offers only the dimensions that the provider of a hosted name has', () => {
  const llama = modelOf('llama-text-embed-v2', { provider: 'openai', ...URL_OF, dimensions: [768, 384] });
  assert.ok(llama.kind === 'embed' && llama.vectorType === 'dense');
  assert.deepEqual([llama.dimensions, llama.defaultDimension], [[384, 768], 768]);
  assert.deepEqual(llama.parameters.find(({ name }) => name === 'dimension')?.allowedValues, [384, 768]);
});

test('adds a model for a new name, and does not serve a name set to none', () => {
  const model = modelOf('my-model', { provider: 'openai', ...URL_OF, dimensions: 1536, max_tokens: 8191 });
  assert.ok(model.kind === 'embed' && model.vectorType === 'dense');
  assert.deepEqual([model.defaultDimension, model.maxSequenceLength], [1536, 8191]);
  assert.equal(modelOf('my-ranker', { provider: 'cohere', ...URL_OF }).kind, 'rerank');
  const names = planned({ 'cohere-rerank-3.5': 'none' }).map((each) => 'model' in each && each.model.name);
  assert.ok(!names.includes('cohere-rerank-3.5'));
});

test('names every mistake, and repeats no key', () => {
  const refused = (settings: unknown, message: RegExp) => {
    const text = typeof settings === 'string' ? settings : JSON.stringify(settings);
    assert.throws(
      () => planModels(readProviderSettings(text), folder),
      (error) => {
        assert.ok(error instanceof ModelsProblem);
        assert.match(error.message, message);
        assert.ok(!error.message.includes('sk-1'));
        return true;
      },
    );
  };
  refused('{', /must be JSON/);
  refused('/no/such/file.json', /a readable file/);
  refused({ m: { url: 'x' } }, /model m needs a provider: built-in, onnx, none, openai, tei, cohere/);
  refused({ m: 'openay' }, /model m\.provider must be one of/);
  refused({ m: 'openai' }, /model m needs a url like/);
  for (const url of ['localhost:1', 'ftp://x/', 'http://u:sk-1@x/', 'http://x/?key=sk-1', 17]) {
    refused({ m: { provider: 'openai', url } }, /model m/);
  }
  refused({ m: { provider: 'openai', ...URL_OF } }, /model m needs dimensions/);
  refused({ m: { provider: 'openai', ...URL_OF, dimensions: [] } }, /dimensions must be whole numbers/);
  refused(
    { m: { provider: 'openai', ...URL_OF, dimension: 3 } },
    /unknown field dimension; it may have .*dimensions/,
  );
  refused(
    { m: { provider: 'openai', ...URL_OF, key: 'sk-1\n', dimensions: 3 } },
    /a key that is not visible/,
  );
  refused({ m: { provider: 'openai', ...URL_OF, key: 'sk-1', key_env: 'K' } }, /both key and key_env/);
  refused({ m: 'built-in' }, /model m is not built in/);
  refused(
    { 'bge-reranker-v2-m3': { provider: 'tei', ...URL_OF, type: 'embed' } },
    /is of type rerank, not embed/,
  );
  refused({ '': 'none' }, /1 to 128 visible/);
});

test('stops the start for mistakes that show only on opening', async () => {
  const opened = async (settings: Readonly<Record<string, unknown>>, message: RegExp) => {
    const options = { environment: {}, onProviderError: () => {} };
    const given = {
      ...readSettings({ PINYON_DATA_DIR: folder }),
      models: readProviderSettings(JSON.stringify(settings)),
    };
    await assert.rejects(openInference(given, options), (error) => {
      assert.ok(error instanceof ModelsProblem);
      assert.match(error.message, message);
      return true;
    });
  };
  const keyed = { provider: 'openai', ...URL_OF, dimensions: 3, key_env: 'MISSING' };
  await opened({ m: keyed }, /takes its key from MISSING, which is not set/);
  await opened(
    {
      m: { provider: 'cohere', ...URL_OF, type: 'embed', dimensions: 3 },
      'multilingual-e5-large': { provider: 'cohere', ...URL_OF },
    },
    /multilingual-e5-large/,
  );
  await opened(
    { 'bge-reranker-v2-m3': { provider: 'openai', ...URL_OF } },
    /reranks, which provider openai does not support/,
  );
  await opened(
    { 'pinecone-sparse-english-v0': { provider: 'openai', ...URL_OF } },
    /only provider tei supports/,
  );
  await opened({ m: 'onnx' }, /missing file .*pinyon-model\.json/);
});

test('finds models by their folders, and says what a folder lacks', () => {
  const models = join(folder, 'found');
  const put = (path: string, text = '{}') => {
    mkdirSync(dirname(join(models, path)), { recursive: true });
    writeFileSync(join(models, path), text);
  };
  put('whole/pinyon-model.json', '{"dimensions": 3}');
  put('whole/onnx/model.onnx');
  put('whole/tokenizer.json');
  put('plain/onnx/model.onnx');
  put('half/pinyon-model.json', '{"dimensions": 3}');
  put('wrong/pinyon-model.json', '{"pooling": "max"}');
  put('old.0123456789ab.partial/model.onnx');
  put('notes/readme.txt');
  const { plan, notices } = planModels(new Map(), models);
  assert.deepEqual(
    plan.filter(({ provider }) => provider === 'onnx').map((each) => 'name' in each && each.name),
    ['whole'],
  );
  assert.deepEqual(notices.slice(0, 2), [
    'The model half is not served: its folder has no onnx/model.onnx, tokenizer.json (docs/inference.md).',
    'The model plain is not served: its folder has no pinyon-model.json (docs/inference.md).',
  ]);
  assert.match(notices[2] ?? '', /The model wrong is not served: .*pooling must be one of/);
  assert.equal(notices.length, 3);
});

test('accepts JSON or the path of a file in the environment variable, and names the variable in errors', () => {
  const file = join(folder, 'models.json');
  writeFileSync(file, JSON.stringify({ m: 'none' }));
  assert.deepEqual(readSettings({ PINYON_MODELS: file }).models, new Map([['m', { provider: 'none' }]]));
  assert.throws(
    () => readSettings({ PINYON_MODELS: '{"m":"x"}' }),
    (error) => {
      assert.ok(error instanceof SettingsProblem);
      return /^PINYON_MODELS cannot be used: model m\.provider must be one of/.test(error.problems[0] ?? '');
    },
  );
});
