// Creates document indexes: every kind of field, how it is shown again, and every way a schema is refused.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PREVIEW_VERSION } from '../../../domain/api-version.ts';
import { badArgument, ControlSurface, newName, undeserializable } from '../testing/control-client.ts';
import { configureIndex } from './configure-index.ts';
import { createIndex } from './create-index.ts';

const DENSE = { type: 'dense_vector', dimension: 3, metric: 'euclidean' };
const SPARSE = { type: 'sparse_vector' };
const TEXT = { type: 'string', full_text_search: {} };
const PLAIN_ANALYSIS = {
  language: 'en',
  stemming: false,
  stop_words: false,
  lowercase: true,
  max_term_len: 40,
};

let surface: ControlSurface;

before(async () => {
  surface = await ControlSurface.make();
});
after(() => surface.dispose());

async function shown(fields: object, version: '2026-07' | typeof PREVIEW_VERSION = '2026-07') {
  return surface.created({ name: newName(), schema: { fields } }, version);
}

describe('create document index', () => {
  test('shows a field of each kind in full', async () => {
    const index = await shown({
      dense: { ...DENSE, description: 'Positions' },
      sparse: SPARSE,
      title: TEXT,
      body: {
        type: 'string',
        full_text_search: { language: 'French', stemming: true, stop_words: true },
        description: 'All of it',
      },
      prefix: { type: 'string', full_text_search: { ngram: { min_gram: 2, max_gram: 3 } } },
    });
    assert.deepEqual(index.schema, {
      fields: {
        dense: { ...DENSE, description: 'Positions' },
        sparse: { ...SPARSE, description: null },
        title: { type: 'string', description: null, store_text: true, full_text_search: PLAIN_ANALYSIS },
        body: {
          type: 'string',
          description: 'All of it',
          store_text: true,
          full_text_search: { ...PLAIN_ANALYSIS, language: 'fr', stemming: true, stop_words: true },
        },
        prefix: {
          type: 'string',
          description: null,
          store_text: true,
          full_text_search: { ...PLAIN_ANALYSIS, ngram: { min_gram: 2, max_gram: 3, prefix_only: false } },
        },
      },
    });
    const { vector_type, dimension, metric, embed } = index;
    assert.deepEqual(
      { vector_type, dimension, metric, embed },
      { vector_type: 'dense', dimension: 3, metric: 'euclidean', embed: undefined },
    );
  });

  test('shows an index of text alone without a dimension', async () => {
    const { vector_type, metric, ...index } = await shown({ text: TEXT });
    assert.deepEqual({ vector_type, metric }, { vector_type: 'sparse', metric: 'dotproduct' });
    assert.equal('dimension' in index, false);
  });

  test('resolves embeddings, and makes the text that they keep searchable by words', async () => {
    const index = await shown({ text: { type: 'string', embed: {}, sparse_embed: {} } });
    const parameters = (inputType: string) => ({ input_type: inputType, truncate: 'END' });
    assert.deepEqual(index.schema, {
      fields: {
        text: {
          type: 'string',
          description: null,
          store_text: true,
          full_text_search: PLAIN_ANALYSIS,
          embed: {
            model: 'llama-text-embed-v2',
            dimension: 1_024,
            metric: 'cosine',
            write_parameters: { dimension: 1_024, ...parameters('passage') },
            read_parameters: { dimension: 1_024, ...parameters('query') },
          },
          sparse_embed: {
            model: 'pinecone-sparse-english-v0',
            write_parameters: { max_tokens_per_sequence: 512, ...parameters('passage') },
            read_parameters: { max_tokens_per_sequence: 512, ...parameters('query') },
          },
        },
      },
    });
    assert.equal(index.dimension, 1_024);
  });

  test('takes another model, dimension and metric of an embedding', async () => {
    const embed = { model: 'llama-text-embed-v2', dimension: 384, metric: 'dotproduct' };
    const { dimension, metric } = await shown({ text: { type: 'string', embed, store_text: false } });
    assert.deepEqual({ dimension, metric }, { dimension: 384, metric: 'dotproduct' });
  });

  test('shows an embedded text that is not stored without an analysis', async () => {
    const index = await shown({ text: { type: 'string', sparse_embed: {}, store_text: false } });
    const { fields } = index.schema as { readonly fields: { readonly text: object } };
    assert.partialDeepStrictEqual(fields.text, { store_text: false });
    assert.equal('full_text_search' in fields.text, false);
  });

  test('shows metadata and fixed parts of an analysis again as preview clients declare them', async () => {
    const genre = { type: 'string', filterable: true };
    const year = { type: 'float', filterable: false };
    const text = { type: 'string', full_text_search: { lowercase: false, max_term_len: 60 } };
    const short = { type: 'string', full_text_search: { max_term_len: 20 } };
    const index = await shown({ genre, year, text, short, usual: TEXT }, PREVIEW_VERSION);
    assert.partialDeepStrictEqual(index.schema, {
      fields: {
        genre,
        year,
        text: { full_text_search: { ...PLAIN_ANALYSIS, lowercase: false, max_term_len: 60 } },
        short: { full_text_search: { ...PLAIN_ANALYSIS, max_term_len: 20 } },
        usual: { full_text_search: PLAIN_ANALYSIS },
      },
    });
  });

  test('refuses fixed parts of an analysis from other clients, and of other types from all', async () => {
    const refused = (
      search: object,
      version: '2026-07' | typeof PREVIEW_VERSION,
      error: ReturnType<typeof badArgument>,
    ) =>
      surface.refuses(
        createIndex,
        { body: { schema: { fields: { text: { type: 'string', full_text_search: search } } } }, version },
        error,
      );
    for (const search of [{ lowercase: true }, { max_term_len: 40 }]) {
      const message = `Field 'text': full_text_search.${Object.keys(search)[0]} is fixed and cannot be requested.`;
      await refused(search, '2026-07', badArgument(message));
    }
    const reason = 'invalid type: string "no", expected a boolean at line 1 column 81';
    await refused({ lowercase: 'no' }, PREVIEW_VERSION, undeserializable(reason));
    const other = 'invalid type: floating point `2.5`, expected an integer at line 1 column 83';
    await refused({ max_term_len: 2.5 }, PREVIEW_VERSION, undeserializable(other));
  });

  test('takes the metric of sparse vectors from preview clients, and from no others', async () => {
    const fields = { sparse: { type: 'sparse_vector', metric: 'dotproduct' } };
    const { schema } = await shown(fields, PREVIEW_VERSION);
    assert.partialDeepStrictEqual(schema, { fields: { sparse: { type: 'sparse_vector' } } });
    await surface.refuses(
      createIndex,
      { body: { schema: { fields } }, version: '2026-07' },
      badArgument("Field 'sparse': dimension and metric belong to dense_vector fields only."),
    );
  });

  test('keeps an index from a model of its own, which its schema gives to fields', async () => {
    const name = newName();
    const fields = { dense: { ...DENSE, dimension: 1024, metric: 'cosine' } };
    await surface.call(createIndex, { body: { name, schema: { fields } }, version: '2026-07' });
    await surface.refuses(
      configureIndex,
      {
        params: { index_name: name },
        body: { embed: { model: 'llama-text-embed-v2', field_map: { text: 'x' } } },
        version: '2026-07',
      },
      badArgument(`The fields of index ${name} are set by its schema, which cannot be changed.`),
    );
  });

  const texts = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, TEXT]));
  const limits: readonly (readonly [what: string, max: number, fields: (count: number) => object])[] = [
    ['full-text fields', 100, texts],
    ['bytes of the name of a field', 64, (count) => ({ [`é${'f'.repeat(count - 2)}`]: TEXT })],
    ['bytes of a description', 256, (count) => ({ text: { ...TEXT, description: 'd'.repeat(count) } })],
    ['dimensions', 20_000, (dimension) => ({ dense: { ...DENSE, dimension } })],
  ];
  for (const [what, max, fields] of limits) {
    test(`accepts ${max} ${what}, and refuses one more`, async () => {
      for (const count of [max - 1, max]) await shown(fields(count));
      await assert.rejects(shown(fields(max + 1)), { status: 400 });
    });
  }

  test('refuses an unknown type with 422, and names its place', () =>
    surface.refuses(
      createIndex,
      { body: '{"schema":{"fields":{"n":{"type":"integer"}}}}', version: '2026-07' },
      undeserializable(
        'schema.fields.n.type: unknown variant `integer`, expected one of `dense_vector`, `sparse_vector`, `string`, `string_list`, `float`, `number`, `boolean`, `semantic_text` at line 1 column 42',
      ),
    ));

  const languages = 'ar, da, de, el, en, es, fi, fr, hu, it, nl, no, pt, ro, ru, sv, ta, tr';
  const text = (search: object) => ({ text: { type: 'string', full_text_search: search } });
  const refused: readonly (readonly [object, string])[] = [
    [
      text({ language: 'klingon' }),
      `Field 'text': full_text_search.language must be one of ${languages}, got klingon.`,
    ],
    [text({ stop_words: true }), "Field 'text': full_text_search.stop_words requires stemming."],
    [
      text({ language: 'Turkish', stemming: true, stop_words: true }),
      "Field 'text': full_text_search.stop_words is not available for language 'tr'.",
    ],
    [
      text({ ngram: { min_gram: 3, max_gram: 2 } }),
      "Field 'text': full_text_search.ngram requires 1 <= min_gram <= max_gram <= 10, got 3 and 2.",
    ],
    [
      text({ ngram: { min_gram: 0, max_gram: 2 } }),
      "Field 'text': full_text_search.ngram requires 1 <= min_gram <= max_gram <= 10, got 0 and 2.",
    ],
    [
      text({ ngram: { min_gram: 1, max_gram: 11 } }),
      "Field 'text': full_text_search.ngram requires 1 <= min_gram <= max_gram <= 10, got 1 and 11.",
    ],
    [
      text({ ngram: { min_gram: 1, max_gram: 2 }, stop_words: true }),
      "Field 'text': full_text_search.ngram excludes stemming and stop_words.",
    ],
    [
      { text: { type: 'string', full_text_search: {}, store_text: false } },
      "Field 'text': store_text false requires embed or sparse_embed.",
    ],
    [
      { text: { type: 'string', full_text_search: {}, embed: {}, store_text: false } },
      "Field 'text': store_text false cannot be combined with full_text_search.",
    ],
    [
      { text: { ...TEXT, filterable: false } },
      "Field 'text': filterable cannot be combined with a search field.",
    ],
    [
      { a: DENSE, text: { type: 'string', embed: {} } },
      'Schema must contain at most one dense_vector field; a string field with embed counts as one.',
    ],
    [
      { a: SPARSE, text: { type: 'string', sparse_embed: {} } },
      'Schema must contain at most one sparse_vector field; a string field with sparse_embed counts as one.',
    ],
    [{ a: { ...SPARSE, store_text: true } }, "Field 'a': store_text belongs to string fields only."],
    [
      { text: { type: 'string', embed: { model: 'pinecone-sparse-english-v0' } } },
      "Field 'text': embed requires a dense model; 'pinecone-sparse-english-v0' makes sparse vectors.",
    ],
    [
      { text: { type: 'string', sparse_embed: { model: 'multilingual-e5-large' } } },
      "Field 'text': sparse_embed requires a sparse model; 'multilingual-e5-large' makes dense vectors.",
    ],
  ];
  for (const [fields, message] of refused) {
    test(`refuses with 400: ${message}`, () =>
      surface.refuses(
        createIndex,
        { body: { schema: { fields } }, version: '2026-07' },
        badArgument(message),
      ));
  }
});
