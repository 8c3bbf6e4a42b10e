// Indexes with integrated embedding: how they are made, what of them may change, and every way it is refused.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { RequestedVersion } from '../../../domain/api-version.ts';
import {
  badArgument,
  ControlSurface,
  notFound,
  SERVERLESS,
  undeserializable,
} from '../testing/control-client.ts';
import { configureIndex } from './configure-index.ts';
import { createIndex } from './create-index.ts';
import { createIndexForModel } from './create-index-for-model.ts';
import { describeIndex } from './describe-index.ts';

type Json = Readonly<Record<string, unknown>>;

const params = { index_name: 'texts' };
const DENSE = { model: 'llama-text-embed-v2', field_map: { text: 'chunk' } };
const SPARSE = { model: 'pinecone-sparse-english-v0', field_map: { text: 'chunk' } };
const MISSING =
  'Model nothing not found: no embedding model of this name is installed on this server. ' +
  'Installed: llama-text-embed-v2, multilingual-e5-large, pinecone-sparse-english-v0, builtin-english, bm25-english.';

describe('integrated indexes', () => {
  let surface: ControlSurface;
  beforeEach(async () => {
    surface = await ControlSurface.make();
  });
  afterEach(() => surface.dispose());

  function body(embed: Json, more: Json = {}): Json {
    return { name: 'texts', cloud: 'aws', region: 'us-east-1', embed, ...more };
  }

  async function created(embed: Json, version: RequestedVersion = '2025-10', more: Json = {}): Promise<Json> {
    return (await surface.call(createIndexForModel, { body: body(embed, more), version })).body as Json;
  }

  async function configured(change: Json, version: RequestedVersion = '2025-10'): Promise<Json> {
    return (await surface.call(configureIndex, { body: change, params, version })).body as Json;
  }

  const refusesMaking = (embed: Json, message: string, more: Json = {}) =>
    surface.refuses(createIndexForModel, { body: body(embed, more) }, badArgument(message));
  const refusesChange = (change: Json, message: string, version: RequestedVersion = '2025-10') =>
    surface.refuses(configureIndex, { body: change, params, version }, badArgument(message));

  describe('create index for a model', () => {
    test('takes type, dimension and metric from a dense model, and shows every property of the embedding', async () => {
      const index = await created(DENSE);
      assert.deepEqual(
        [index.vector_type, index.dimension, index.metric, (index.status as Json).state],
        ['dense', 1024, 'cosine', 'Ready'],
      );
      assert.deepEqual(index.embed, {
        model: 'llama-text-embed-v2',
        field_map: { text: 'chunk' },
        dimension: 1024,
        metric: 'cosine',
        vector_type: 'dense',
        write_parameters: { dimension: 1024, input_type: 'passage', truncate: 'END' },
        read_parameters: { dimension: 1024, input_type: 'query', truncate: 'END' },
      });
      const described = await surface.call(describeIndex, { params });
      assert.deepEqual((described.body as Json).embed, index.embed);
    });

    test('creates a sparse index for a sparse model, without a dimension anywhere', async () => {
      const index = await created(SPARSE);
      assert.deepEqual(
        [index.vector_type, 'dimension' in index, index.metric],
        ['sparse', false, 'dotproduct'],
      );
      const parameters = { truncate: 'END', max_tokens_per_sequence: 512 };
      assert.deepEqual(index.embed, {
        ...SPARSE,
        metric: 'dotproduct',
        vector_type: 'sparse',
        write_parameters: { input_type: 'passage', ...parameters },
        read_parameters: { input_type: 'query', ...parameters },
      });
    });

    test('shows the text field as semantic_text since 2026-07, filterable or not', async () => {
      const schema = { fields: { genre: { filterable: true }, chunk: { filterable: true } } };
      const { schema: shown } = await created({ ...DENSE, dimension: 512 }, '2026-07', { schema });
      const dimension = 512;
      assert.deepEqual((shown as { readonly fields: Json }).fields, {
        chunk: {
          type: 'semantic_text',
          description: null,
          model: 'llama-text-embed-v2',
          dimension,
          metric: 'cosine',
          write_parameters: { dimension, input_type: 'passage', truncate: 'END' },
          read_parameters: { dimension, input_type: 'query', truncate: 'END' },
        },
        genre: { filterable: true },
      });
    });

    test('accepts a metric, dimension and parameters in both spellings, and as some clients write them', async () => {
      const { metric, dimension, embed } = await created({
        ...DENSE,
        metric: 'DotProduct',
        write_parameters: { dimension: 384, truncate: 'NONE' },
        read_parameters: { inputType: 'passage', truncate: 'START', dimension: '384' },
      });
      assert.deepEqual([metric, dimension], ['dotproduct', 384]);
      const { write_parameters: write, read_parameters: read } = embed as Json;
      assert.deepEqual(write, { dimension: 384, input_type: 'passage', truncate: 'NONE' });
      assert.deepEqual(read, { dimension: 384, input_type: 'passage', truncate: 'START' });
    });

    test('keeps tags, protection and a schema like those of any index', async () => {
      const more = {
        tags: { a: 'b' },
        deletion_protection: 'enabled',
        schema: { fields: { f: { filterable: true } } },
      };
      const index = await created(DENSE, '2025-10', more);
      assert.deepEqual([index.tags, index.deletion_protection], [{ a: 'b' }, 'enabled']);
      assert.deepEqual((index.spec as { readonly serverless: Json }).serverless.schema, more.schema);
    });

    test('responds 400 to what the model does not support', async () => {
      await refusesMaking(
        { ...DENSE, metric: 'euclidean' },
        "Metric euclidean is not supported by model 'llama-text-embed-v2'. Supported metrics: cosine, dotproduct.",
      );
      await refusesMaking(
        { ...DENSE, dimension: 1000 },
        "dimension must be one of 384, 512, 768, 1024, 2048 for model 'llama-text-embed-v2', got 1000.",
      );
      await refusesMaking(
        { ...SPARSE, dimension: 8 },
        "dimension must not be given for model 'pinecone-sparse-english-v0', which is sparse.",
      );
      await refusesMaking(
        { ...DENSE, dimension: 512, read_parameters: { dimension: 384 } },
        'read_parameters.dimension must be that of the index, 512.',
      );
      await refusesMaking(
        { ...DENSE, write_parameters: { colour: 1 } },
        "write_parameters.colour is not a parameter of model 'llama-text-embed-v2'. It takes input_type, truncate, dimension.",
      );
      await refusesMaking(
        { ...DENSE, read_parameters: { truncate: 'MIDDLE' } },
        "read_parameters.truncate must be one of END, NONE, START for model 'llama-text-embed-v2'.",
      );
    });

    test('responds 400 to a field map without text, or with more than text', async () => {
      const model = DENSE.model;
      const text = 'embed.field_map must map the key text to a record field.';
      await refusesMaking({ model, field_map: {} }, text);
      await refusesMaking({ model, field_map: { text: '' } }, text);
      await refusesMaking(
        { model, field_map: { text: 'a', image: 'b' } },
        "embed.field_map takes the key text only, got 'image'.",
      );
      await refusesMaking(
        { model, field_map: { text: '_id' } },
        "embed.field_map.text cannot be '_id': the name is reserved.",
      );
      await refusesMaking(DENSE, 'Name must be 1 to 45 characters long, got 0.', { name: '' });
    });

    test('responds 404 to an unknown model, to a reranker, and to an unknown region', async () => {
      const missing = notFound('model-not-found', MISSING);
      await surface.refuses(createIndexForModel, { body: body({ ...DENSE, model: 'nothing' }) }, missing);
      await surface.refuses(
        createIndexForModel,
        { body: body({ ...DENSE, model: 'bge-reranker-v2-m3' }) },
        notFound('model-not-found', MISSING.replace('nothing', 'bge-reranker-v2-m3')),
      );
      await surface.refuses(
        createIndexForModel,
        { body: body(DENSE, { region: 'x' }) },
        notFound('region-not-found', 'Resource cloud: aws region: x not found.'),
      );
    });

    test('responds 409 to the name of an existing index, integrated or not', async () => {
      await created(DENSE);
      const taken = {
        condition: 'name-taken',
        status: 409,
        code: 'ALREADY_EXISTS',
        message: 'Resource already exists.',
      } as const;
      await surface.refuses(createIndexForModel, { body: body(SPARSE) }, taken);
    });

    test('responds 422 to a missing field, and since 2026-07 to an unknown one', async () => {
      await surface.refuses(
        createIndexForModel,
        { body: '{"name":"a","cloud":"aws","region":"r","embed":{"model":"e5"}}' },
        undeserializable('missing field `field_map` at line 1 column 61'),
      );
      await surface.refuses(
        createIndexForModel,
        { body: { x: 1, ...body(DENSE) }, version: '2026-07' },
        undeserializable(
          'unknown field `x`, expected one of `name`, `cloud`, `region`, `embed`, `schema`, `read_capacity`, `deletion_protection`, `tags` at line 1 column 6',
        ),
      );
      await surface.refuses(
        createIndexForModel,
        { body: body({ x: 1, ...DENSE }), version: '2026-07' },
        undeserializable(
          'unknown field `x`, expected one of `model`, `field_map`, `metric`, `dimension`, `read_parameters`, `write_parameters` at line 1 column 65',
        ),
      );
    });
  });

  describe('configure embedding', () => {
    const plain = (dimension: number, metric = 'cosine') =>
      surface.call(createIndex, { body: { name: 'texts', dimension, metric, spec: SERVERLESS } });

    test('makes a plain index integrated when type, dimension and metric fit the model', async () => {
      await plain(768);
      const { embed } = await configured({ embed: DENSE });
      assert.deepEqual((embed as Json).write_parameters, {
        dimension: 768,
        input_type: 'passage',
        truncate: 'END',
      });
    });

    test('responds 400 to a plain index that does not fit the model, and to a missing model or field', async () => {
      await plain(100, 'euclidean');
      await refusesChange(
        { embed: DENSE },
        "Model 'llama-text-embed-v2' makes vectors of dimension 384, 512, 768, 1024, 2048; index texts has 100.",
      );
      await refusesChange(
        { embed: SPARSE },
        "Model 'pinecone-sparse-english-v0' makes sparse vectors; index texts holds dense ones.",
      );
      await refusesChange(
        { embed: { field_map: { text: 'a' } } },
        'The index has no integrated embedding that could be configured; a model is required.',
      );
      await refusesChange(
        { schema: { fields: { chunk: { type: 'semantic_text' } } } },
        'Index texts has no integrated embedding that a schema could configure.',
        '2026-07',
      );
    });

    test('responds 400 to a plain index whose metric the model does not support', async () => {
      await plain(1024, 'euclidean');
      await refusesChange(
        { embed: DENSE },
        "Metric euclidean is not supported by model 'llama-text-embed-v2'. Supported metrics: cosine, dotproduct.",
      );
      await refusesChange(
        { embed: { model: DENSE.model } },
        "Metric euclidean is not supported by model 'llama-text-embed-v2'. Supported metrics: cosine, dotproduct.",
      );
    });

    test('responds 400 to a pod index', async () => {
      const spec = { pod: { environment: 'e', pod_type: 'p1.x1' } };
      await surface.call(createIndex, { body: { name: 'texts', dimension: 1024, spec } });
      await refusesChange(
        { embed: DENSE },
        'Index texts is a pod index; integrated embedding is not available for it.',
      );
    });

    test('changes field and parameters of an integrated index, and keeps what is left out', async () => {
      await created(DENSE);
      const { embed } = await configured({
        embed: { field_map: { text: 'body' }, read_parameters: { truncate: 'NONE' } },
      });
      const { field_map: map, read_parameters: read, write_parameters: write } = embed as Json;
      assert.deepEqual(map, { text: 'body' });
      assert.deepEqual(read, { dimension: 1024, input_type: 'query', truncate: 'NONE' });
      assert.deepEqual(write, { dimension: 1024, input_type: 'passage', truncate: 'END' });
      const newer = {
        schema: { fields: { body: { type: 'semantic_text', write_parameters: { truncate: 'START' } } } },
      };
      const after = (await configured(newer, '2026-07')).embed as Json;
      assert.deepEqual(after.write_parameters, { dimension: 1024, input_type: 'passage', truncate: 'START' });
      assert.deepEqual(after.read_parameters, read);
    });

    test('responds 400 to another model, metric or dimension, and to a field other than the text field', async () => {
      await created(DENSE);
      await refusesChange(
        { embed: { model: 'multilingual-e5-large' } },
        'The model of an integrated index cannot be changed; index texts has llama-text-embed-v2.',
      );
      await configured({ embed: { model: DENSE.model, dimension: 1024, metric: 'cosine' } });
      await refusesChange({ embed: { dimension: 512 } }, 'dimension of an index cannot be changed.');
      await refusesChange({ embed: { metric: 'dotproduct' } }, 'metric of an index cannot be changed.');
      const field = (name: string, more: Json = {}) => ({
        schema: { fields: { [name]: { type: 'semantic_text', ...more } } },
      });
      await refusesChange(
        field('other'),
        "Index texts has no semantic_text field 'other'; it embeds 'chunk'.",
        '2026-07',
      );
      await refusesChange(
        field('chunk', { model: 'multilingual-e5-large' }),
        'The model of an integrated index cannot be changed; index texts has llama-text-embed-v2.',
        '2026-07',
      );
      await refusesChange(
        field('chunk', { type: 'string' }),
        "Field 'chunk': type must be semantic_text.",
        '2026-07',
      );
    });

    test('responds 404 to a model that is not installed', async () => {
      await plain(1024);
      await surface.refuses(
        configureIndex,
        { body: { embed: { ...DENSE, model: 'nothing' } }, params },
        notFound('model-not-found', MISSING),
      );
    });
  });
});
