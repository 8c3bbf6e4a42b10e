// The life of indexes, by the official SDK 9 as it comes from npm.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Errors, Pinecone } from '@pinecone-database/pinecone';
import { plain } from './support/plain.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const SERVERLESS = { serverless: { cloud: 'aws', region: 'us-east-1' } };

/** The SDK's error classes are told apart by name. */
function named(name: keyof typeof Errors) {
  return { name };
}

describe('SDK 9, indexes', () => {
  let service: Service;
  let pinecone: Pinecone;
  before(async () => {
    service = await startService();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
  });
  after(() => service.dispose());

  async function gone(name: string): Promise<void> {
    await until(async () => {
      const { indexes = [] } = await pinecone.listIndexes();
      return !indexes.some((index) => index.name === name);
    }, `the end of ${name}`);
  }

  it('creates, lists, describes and deletes a dense serverless index', async () => {
    const made = await pinecone.createIndex({
      name: 'dense',
      dimension: 3,
      spec: SERVERLESS,
      tags: { team: 'search' },
      waitUntilReady: true,
    });
    assert.equal(made.name, 'dense');
    assert.equal(made.dimension, 3);
    assert.equal(made.metric, 'cosine');
    assert.equal(made.vectorType, 'dense');
    assert.equal(made.deletionProtection, 'disabled');
    assert.deepEqual(made.tags, { team: 'search' });
    assert.deepEqual(made.status, { ready: true, state: 'Ready' });
    assert.match(made.host, /^http:\/\/localhost:\d+$/);
    assert.partialDeepStrictEqual(made.spec, SERVERLESS);
    assert.deepEqual(await pinecone.describeIndex('dense'), made);
    const { indexes } = await pinecone.listIndexes();
    assert.deepEqual(indexes, [made]);
    await pinecone.deleteIndex('dense');
    await gone('dense');
    await assert.rejects(pinecone.describeIndex('dense'), named('PineconeNotFoundError'));
    await assert.rejects(pinecone.deleteIndex('dense'), named('PineconeNotFoundError'));
  });

  it('creates a sparse index, which has no dimension', async () => {
    const made = await pinecone.createIndex({ name: 'sparse', vectorType: 'sparse', spec: SERVERLESS });
    assert.equal(made.vectorType, 'sparse');
    assert.equal(made.metric, 'dotproduct');
    assert.equal(made.dimension, undefined);
    assert.deepEqual(Object.keys(made.schema.fields), ['_sparse_values']);
  });

  it('creates an index from a schema and a deployment', async () => {
    const made = await pinecone.indexes.create({
      name: 'schema',
      schema: { fields: { _values: { type: 'dense_vector', dimension: 4, metric: 'euclidean' } } },
      deployment: { deploymentType: 'managed', cloud: 'gcp', region: 'us-central1' },
      readCapacity: { mode: 'OnDemand' },
    });
    assert.deepEqual([made.dimension, made.metric], [4, 'euclidean']);
    assert.partialDeepStrictEqual(made.deployment, { cloud: 'gcp', region: 'us-central1' });
    assert.deepEqual(Object.keys(made.schema.fields), ['_values', '_sparse_values']);
    const both = await pinecone.indexes.create({
      name: 'schema-hybrid',
      schema: {
        fields: {
          _values: { type: 'dense_vector', dimension: 4, metric: 'dotproduct' },
          _sparse_values: { type: 'sparse_vector' },
        },
      },
    });
    assert.partialDeepStrictEqual(both.deployment, { cloud: 'aws', region: 'us-east-1' });
  });

  it('creates a byoc index with dedicated capacity', async () => {
    const made = await pinecone.createIndex({
      name: 'byoc',
      dimension: 2,
      spec: {
        byoc: {
          environment: 'own-cloud',
          readCapacity: { mode: 'Dedicated', nodeType: 'b1', manual: { replicas: 1, shards: 1 } },
        },
      },
    });
    assert.partialDeepStrictEqual(made.deployment, { environment: 'own-cloud' });
    assert.partialDeepStrictEqual(made.readCapacity, { mode: 'Dedicated' });
  });

  it('reports a name in use as a conflict, which can be suppressed', async () => {
    const options = { name: 'twice', dimension: 2, spec: SERVERLESS };
    await pinecone.createIndex(options);
    await assert.rejects(pinecone.createIndex(options), named('PineconeConflictError'));
    assert.equal(await pinecone.createIndex({ ...options, suppressConflicts: true }), undefined);
  });

  it('merges tags, removes one given empty, and keeps a protected index', async () => {
    await pinecone.createIndex({ name: 'tagged', dimension: 2, spec: SERVERLESS, tags: { a: '1', b: '2' } });
    const changed = await pinecone.indexes.configure('tagged', {
      tags: { b: '', c: '3' },
      deletionProtection: 'enabled',
    });
    assert.deepEqual(changed.tags, { a: '1', c: '3' });
    assert.equal(changed.deletionProtection, 'enabled');
    await assert.rejects(pinecone.deleteIndex('tagged'), {
      name: 'PineconeBadRequestError',
      message: /Deletion protection is enabled for this index/,
    });
    await pinecone.configureIndex({ name: 'tagged', deletionProtection: 'disabled' });
    await pinecone.deleteIndex('tagged');
    await gone('tagged');
  });

  it('moves an index to dedicated capacity and back, showing the change in progress', async () => {
    await pinecone.createIndex({ name: 'capacity', dimension: 2, spec: SERVERLESS });
    const again = { readCapacity: { mode: 'OnDemand' } } as const;
    const isRefused = () =>
      pinecone.indexes.configure('capacity', again).then(
        () => false,
        ({ name }: Error) => name === 'PineconeBadRequestError',
      );
    let capacity: Awaited<ReturnType<typeof pinecone.describeIndex>>['readCapacity'];
    // On a busy machine the change may be over before the next request comes.
    do {
      const scaling = await pinecone.indexes.configure('capacity', {
        readCapacity: { mode: 'Dedicated', nodeType: 'b1', manual: { replicas: 2, shards: 1 } },
      });
      capacity = scaling.readCapacity;
      assert.partialDeepStrictEqual(capacity, { mode: 'Dedicated', status: { state: 'Scaling' } });
      assert.deepEqual(scaling.status, { ready: true, state: 'Ready' });
    } while (!(await isRefused()));
    await until(async () => {
      capacity = (await pinecone.describeIndex('capacity')).readCapacity;
      return capacity?.status?.state === 'Ready';
    }, 'the capacity');
    assert.deepEqual(plain(capacity?.status), { state: 'Ready', currentReplicas: 2, currentShards: 1 });
    const back = await pinecone.indexes.configure('capacity', again);
    assert.partialDeepStrictEqual(back.readCapacity, { mode: 'OnDemand' });
  });

  it('maps refusals to the error classes of the SDK', async () => {
    const create = (options: object) =>
      pinecone.createIndex({ name: 'refused', dimension: 2, spec: SERVERLESS, ...options });
    await assert.rejects(create({ name: 'Not_Allowed' }), {
      name: 'PineconeBadRequestError',
      message: /Name must consist of lower case alphanumeric characters or '-'/,
    });
    const nowhere = { serverless: { cloud: 'aws', region: 'the-moon' } };
    await assert.rejects(create({ spec: nowhere }), named('PineconeNotFoundError'));
    await assert.rejects(create({ tags: { 'no spaces': 'x' } }), named('PineconeBadRequestError'));
    const stranger = new Pinecone({ apiKey: 'pcsk_unknown_key', controllerHostUrl: service.url });
    await assert.rejects(stranger.listIndexes(), named('PineconeAuthorizationError'));
    await assert.rejects(
      stranger.createIndex({ name: 'refused', dimension: 2, spec: SERVERLESS }),
      named('PineconeAuthorizationError'),
    );
    await assert.rejects(pinecone.describeIndex('refused'), named('PineconeNotFoundError'));
  });
});
