// Schemas of indexes in responses.

import { TEXT_LANGUAGES } from '../../../domain/full-text/text-analysis.ts';
import { INDEX_STATES } from '../../../domain/index-model.ts';
import { METRICS, VECTOR_TYPES } from '../../../domain/vector-shape.ts';
import { Type } from '../../schema/type.ts';
import { choice, DeletionProtectionBody, MetadataSchemaBody, mapOf } from './body-parts.ts';

const ON_DEMAND = {
  mode: 'OnDemand',
  status: { state: 'Ready', current_replicas: null, current_shards: null },
};
const PLACE = { cloud: 'aws', region: 'us-east-1' };
const INDEX = {
  name: 'books',
  vector_type: 'dense',
  metric: 'cosine',
  dimension: 3,
  status: { ready: true, state: 'Ready' },
  host: 'http://localhost:5081',
  spec: { serverless: { ...PLACE, read_capacity: ON_DEMAND } },
  deletion_protection: 'disabled',
  tags: { team: 'search' },
  deployment: { deployment_type: 'managed', ...PLACE, environment: 'us-east-1-aws' },
  read_capacity: ON_DEMAND,
  schema: {
    fields: {
      _values: { type: 'dense_vector', dimension: 3, metric: 'cosine', description: null },
      _sparse_values: { type: 'sparse_vector', description: null },
    },
  },
};

const Count = Type.Union([Type.Integer(), Type.Null()]);

const Status = Type.Object({
  state: choice(['Ready', 'Scaling', 'Migrating', 'Error']),
  current_replicas: Count,
  current_shards: Count,
});

const ReadCapacityKinds = [
  Type.Object({ mode: Type.Literal('OnDemand'), status: Status }, { additionalProperties: false }),
  Type.Object(
    {
      mode: Type.Literal('Dedicated'),
      dedicated: Type.Object({
        node_type: Type.String(),
        scaling: Type.Literal('Manual'),
        manual: Type.Object({ replicas: Type.Integer(), shards: Type.Integer() }),
      }),
      status: Status,
    },
    { additionalProperties: false },
  ),
];
const ReadCapacity = Type.Union(ReadCapacityKinds, { title: 'ReadCapacity', examples: [ON_DEMAND] });

const source_collection = Type.Optional(Type.String());
const schema = Type.Optional(MetadataSchemaBody);
const pod = {
  environment: Type.String(),
  pod_type: Type.String(),
  replicas: Type.Integer(),
  shards: Type.Integer(),
};

const Spec = Type.Union(
  [
    Type.Object(
      {
        serverless: Type.Object({
          cloud: Type.String(),
          region: Type.String(),
          read_capacity: ReadCapacity,
          source_collection,
          schema,
        }),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      { byoc: Type.Object({ environment: Type.String(), read_capacity: ReadCapacity, schema }) },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        pod: Type.Object({
          ...pod,
          pods: Type.Integer(),
          metadata_config: Type.Optional(Type.Object({ indexed: Type.Array(Type.String()) })),
          source_collection,
        }),
      },
      { additionalProperties: false },
    ),
  ],
  { title: 'IndexSpec', examples: [INDEX.spec] },
);

const Deployment = Type.Union(
  [
    Type.Object({
      deployment_type: Type.Literal('managed'),
      cloud: Type.String(),
      region: Type.String(),
      environment: Type.String(),
    }),
    Type.Object({ deployment_type: Type.Literal('byoc'), environment: Type.String() }),
    Type.Object({ deployment_type: Type.Literal('pod'), ...pod }),
  ],
  { title: 'Deployment', 'x-since': '2026-07', examples: [INDEX.deployment] },
);

const EmbedParameters = Type.Object(
  {
    dimension: Type.Optional(Type.Integer()),
    input_type: Type.Optional(Type.String()),
    truncate: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
);

const Embed = Type.Object(
  {
    model: Type.String(),
    field_map: mapOf(Type.String(), 'The record field whose text is embedded, under the key `text`.'),
    dimension: Type.Optional(Type.Integer({ description: 'Absent for sparse indexes.' })),
    metric: choice(METRICS),
    vector_type: choice(VECTOR_TYPES),
    write_parameters: EmbedParameters,
    read_parameters: EmbedParameters,
  },
  {
    title: 'IndexEmbedding',
    description: 'Only for indexes with integrated embedding.',
    examples: [
      {
        model: 'multilingual-e5-large',
        field_map: { text: 'chunk_text' },
        dimension: 1024,
        metric: 'cosine',
        vector_type: 'dense',
        write_parameters: { dimension: 1024, input_type: 'passage', truncate: 'END' },
        read_parameters: { dimension: 1024, input_type: 'query', truncate: 'END' },
      },
    ],
  },
);

const description = Type.Union([Type.String(), Type.Null()]);

const StringField = Type.Object({
  type: Type.Literal('string'),
  description,
  store_text: Type.Boolean(),
  full_text_search: Type.Optional(
    Type.Object({
      language: choice(TEXT_LANGUAGES),
      stemming: Type.Boolean(),
      stop_words: Type.Boolean(),
      lowercase: Type.Boolean(),
      max_term_len: Type.Integer(),
      ngram: Type.Optional(
        Type.Object({ min_gram: Type.Integer(), max_gram: Type.Integer(), prefix_only: Type.Boolean() }),
      ),
    }),
  ),
  embed: Type.Optional(
    Type.Object({
      model: Type.String(),
      dimension: Type.Integer(),
      metric: choice(METRICS),
      write_parameters: EmbedParameters,
      read_parameters: EmbedParameters,
    }),
  ),
  sparse_embed: Type.Optional(
    Type.Object({
      model: Type.String(),
      write_parameters: EmbedParameters,
      read_parameters: EmbedParameters,
    }),
  ),
});

const IndexField = Type.Union(
  [
    Type.Object({
      type: Type.Literal('dense_vector'),
      dimension: Type.Integer(),
      metric: choice(METRICS),
      description,
    }),
    Type.Object({ type: Type.Literal('sparse_vector'), description }),
    StringField,
    Type.Object({
      type: Type.Literal('semantic_text'),
      description,
      model: Type.String(),
      dimension: Type.Union([Type.Integer(), Type.Null()]),
      metric: choice(METRICS),
      write_parameters: EmbedParameters,
      read_parameters: EmbedParameters,
    }),
    Type.Object(
      {
        type: choice(['string', 'float', 'integer', 'boolean', 'string_list']),
        filterable: Type.Boolean(),
      },
      { description: 'Metadata that a client of the preview has declared.', additionalProperties: false },
    ),
    Type.Object({ filterable: Type.Literal(true) }),
  ],
  { title: 'IndexField', examples: [INDEX.schema.fields._values] },
);

const SINCE = { 'x-since': '2026-07' };

export const IndexObject = Type.Object(
  {
    name: Type.String(),
    vector_type: choice(VECTOR_TYPES),
    metric: choice(METRICS),
    dimension: Type.Optional(Type.Integer({ description: 'Absent for sparse indexes.' })),
    status: Type.Object({ ready: Type.Boolean(), state: choice(INDEX_STATES) }),
    host: Type.String({ description: 'Address of the data plane of this index.' }),
    spec: Spec,
    deletion_protection: DeletionProtectionBody,
    tags: Type.Union([mapOf(Type.String(), 'The tags.'), Type.Null()]),
    embed: Type.Optional(Embed),
    deployment: Type.Optional(Deployment),
    read_capacity: Type.Optional(Type.Union(ReadCapacityKinds, { ...SINCE, description: 'Absent on pods.' })),
    schema: Type.Optional(
      Type.Object({ fields: mapOf(IndexField, 'By field name.') }, { ...SINCE, title: 'IndexSchema' }),
    ),
    source_collection: Type.Optional(Type.String(SINCE)),
    source_backup_id: Type.Optional(
      Type.String({ ...SINCE, description: 'Id of the backup that the index was restored from.' }),
    ),
  },
  { title: 'Index', examples: [INDEX] },
);

export const IndexList = Type.Object(
  {
    indexes: Type.Array(IndexObject),
    pagination: Type.Optional(
      Type.Object(
        { next: Type.String({ examples: ['films'] }) },
        {
          description:
            'Where a limit leaves indexes out: `after` for the next page. An extension of this server.',
        },
      ),
    ),
  },
  { title: 'IndexList' },
);

export const IndexParams = Type.Object({
  index_name: Type.String({ description: 'Name of the index.', examples: ['books'] }),
});
