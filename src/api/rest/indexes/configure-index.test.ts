// Configure index: what each body changes, what stays, and every way it is refused.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { eventually, STRANGER } from '../../../app/indexes/testing/control-plane.ts';
import type { ControlEndpoint } from '../../endpoint.ts';
import {
  badArgument,
  ControlSurface,
  DEDICATED,
  type ExpectedFault,
  notFound,
  type TestCall,
  undeserializable,
} from '../testing/control-client.ts';
import { configureIndex } from './configure-index.ts';
import { createIndex } from './create-index.ts';
import { describeIndex } from './describe-index.ts';

const params = { index_name: 'books' };
interface Answer {
  readonly status: { readonly state: string; readonly ready: boolean };
  readonly read_capacity: { readonly status: { readonly state: string } };
  readonly tags: unknown;
  readonly deletion_protection: string;
  readonly spec: { readonly pod?: Readonly<Record<string, unknown>> };
}

describe('configure index', () => {
  let surface: ControlSurface;

  beforeEach(async () => {
    surface = await ControlSurface.make();
  });
  afterEach(() => surface.dispose());

  async function make(spec: object): Promise<void> {
    await surface.call(createIndex, {
      body: { name: 'books', dimension: 3, spec, tags: { a: '1', b: '2' } },
    });
  }
  const makeServerless = () => make({ serverless: { cloud: 'aws', region: 'us-east-1' } });
  const makePod = () => make({ pod: { environment: 'e', pod_type: 'p1.x2', replicas: 2 } });

  async function answer(endpoint: ControlEndpoint, call: TestCall): Promise<Answer> {
    return (await surface.call(endpoint, { version: null, params, ...call })).body as Answer;
  }
  const configured = (body: object, call: TestCall = {}) => answer(configureIndex, { body, ...call });
  const refused = (body: unknown, expected: ExpectedFault, call: TestCall = {}) =>
    surface.refuses(configureIndex, { params, body, ...call }, expected);

  for (const version of ['2024-10', '2026-07', null] as const) {
    test(`merges tags, removes those set to '', and switches protection (${version})`, async () => {
      await makeServerless();
      const body = { tags: { a: '', c: '3' }, deletion_protection: 'enabled' };
      const changed = await configured(body, { version });
      assert.deepEqual(changed.tags, { b: '2', c: '3' });
      assert.equal(changed.deletion_protection, 'enabled');
      assert.deepEqual((await configured({ tags: { b: '', c: '' } }, { version })).tags, null);
    });
  }

  test('returns the unchanged index for an empty change', async () => {
    await makeServerless();
    assert.deepEqual(await configured({}), await answer(describeIndex, {}));
  });

  for (const [form, body] of [
    ['older', { spec: { serverless: { read_capacity: DEDICATED } } }],
    ['2026-07', { read_capacity: DEDICATED }],
  ] as const) {
    test(`scales the read capacity of the ${form} body until it is ready, and accepts partial changes`, async () => {
      await makeServerless();
      const changed = await configured(body);
      assert.deepEqual(changed.status, { ready: true, state: 'Ready' });
      const scaling = { state: 'Scaling', current_replicas: null, current_shards: null };
      assert.deepEqual(changed.read_capacity, { ...DEDICATED, status: scaling });
      await refused(body, {
        condition: 'capacity-change-running',
        status: 403,
        code: 'FORBIDDEN',
        message: 'Read capacity of index books is being changed. Retry when its status is Ready.',
      });
      await capacityIs('Ready');
      const part = { mode: 'Dedicated', dedicated: { node_type: 't1' } };
      const migrating = await configured({ read_capacity: part });
      assert.deepEqual(migrating.read_capacity, {
        ...DEDICATED,
        dedicated: { ...DEDICATED.dedicated, node_type: 't1' },
        status: { state: 'Migrating', current_replicas: 2, current_shards: 1 },
      });
      await capacityIs('Ready');
      assert.deepEqual((await configured({ read_capacity: { mode: 'OnDemand' } })).read_capacity, {
        mode: 'OnDemand',
        status: { state: 'Ready', current_replicas: null, current_shards: null },
      });
    });
  }

  test('shows an index without replicas for reads as Disabled, until it has some again', async () => {
    await makeServerless();
    const { scaling, node_type } = DEDICATED.dedicated;
    const paused = { scaling, node_type, manual: { replicas: 0, shards: 1 } };
    for (const [capacity, status] of [
      [
        { mode: 'Dedicated', dedicated: paused },
        { ready: false, state: 'Disabled' },
      ],
      [DEDICATED, { ready: true, state: 'Ready' }],
      [
        { mode: 'Dedicated', dedicated: paused },
        { ready: false, state: 'Disabled' },
      ],
      [{ mode: 'OnDemand' }, { ready: true, state: 'Ready' }],
    ] as const) {
      await configured({ read_capacity: capacity });
      await capacityIs('Ready');
      assert.deepEqual((await answer(describeIndex, {})).status, status);
    }
  });

  test('shows it as ScalingDown before 2025-04, whose clients know no Disabled', async () => {
    await makeServerless();
    const { scaling, node_type } = DEDICATED.dedicated;
    const paused = { scaling, node_type, manual: { replicas: 0, shards: 1 } };
    await configured({ read_capacity: { mode: 'Dedicated', dedicated: paused } });
    await capacityIs('Ready');
    for (const [version, state] of [
      ['2024-04', 'ScalingDown'],
      ['2025-01', 'ScalingDown'],
      ['2025-04', 'Disabled'],
      [null, 'Disabled'],
    ] as const) {
      assert.deepEqual(
        (await answer(describeIndex, { version })).status,
        { ready: false, state },
        `${version}`,
      );
    }
  });

  async function capacityIs(state: string): Promise<void> {
    await eventually(async () => (await answer(describeIndex, {})).read_capacity.status.state === state);
  }

  test('ignores members of an older spec that it does not know, whatever they are', async () => {
    await makeServerless();
    for (const other of [null, 1, 'x', {}]) {
      const changed = await configured({ spec: { other }, tags: { c: '3' } }, { version: '2025-10' });
      assert.deepEqual(changed.tags, { a: '1', b: '2', c: '3' });
    }
  });

  test('resizes pods and changes replicas, and reports scaling until done', async () => {
    await makePod();
    const steps: readonly (readonly [object, string, object])[] = [
      [{ spec: { pod: { replicas: 3 } } }, 'ScalingUp', { replicas: 3, pods: 3 }],
      [{ deployment: { replicas: 1 } }, 'ScalingDown', { replicas: 1, pods: 1 }],
      [{ deployment: { pod_type: 'p1.x4' } }, 'ScalingUpPodSize', { pod_type: 'p1.x4' }],
    ];
    for (const [body, state, expected] of steps) {
      const changed = await configured(body);
      assert.deepEqual(changed.status, { ready: true, state });
      assert.deepEqual({ ...changed.spec.pod, ...expected }, changed.spec.pod);
      await eventually(async () => (await answer(describeIndex, {})).status.state === 'Ready');
    }
  });

  const serverlessFaults: readonly (readonly [object, string])[] = [
    [{ dimension: 4 }, 'dimension of an index cannot be changed.'],
    [{ spec: { serverless: { region: 'x' } } }, 'region of an index cannot be changed.'],
    [
      { spec: { pod: { replicas: 2 } } },
      'Configuring replicas and pod type is not supported for serverless indexes, and index books is one. Cannot change the capacity mode of an existing index.',
    ],
    [
      { spec: { byoc: { read_capacity: { mode: 'OnDemand' } } } },
      'Index books is a serverless index; a change of its byoc settings does not apply.',
    ],
    [
      { deployment: { replicas: 2 } },
      'Configuring replicas and pod type is not supported for serverless indexes, and index books is one. Cannot change the capacity mode of an existing index.',
    ],
    [{ spec: { serverless: {}, pod: {} } }, 'spec must contain at most one of serverless, pod or byoc.'],
    [
      { read_capacity: {}, spec: {} },
      'The body mixes two forms: spec cannot be combined with read_capacity.',
    ],
    [
      { deletion_protection: 'maybe' },
      'Invalid deletion_protection, value should be either enabled or disabled.',
    ],
    [{ tags: { a: 'x'.repeat(121) } }, "Value of tag 'a' must be at most 120 characters long, got 121."],
    [
      { read_capacity: { mode: 'Dedicated', dedicated: { node_type: 'b1' } } },
      'read_capacity of mode Dedicated lacks these parts of dedicated: scaling, manual.replicas, manual.shards.',
    ],
    [
      { embed: { field_map: {} } },
      'The index has no integrated embedding that could be configured; a model is required.',
    ],
    [{ schema: { fields: {} } }, 'schema.fields must name exactly one field.'],
  ];
  test('responds 400 to changes that a serverless index does not allow', async () => {
    await makeServerless();
    for (const [body, message] of serverlessFaults) await refused(body, badArgument(message));
    const tags = Object.fromEntries(Array.from({ length: 19 }, (_, at) => [`t${at}`, 'x']));
    await refused({ tags }, badArgument('At most 20 tags are allowed per index, got 21.'));
  });

  test('responds 400 to dedicated capacity with scaling or manual alone', async () => {
    await makeServerless();
    await configured({ read_capacity: DEDICATED });
    await capacityIs('Ready');
    const change = (dedicated: object) => ({ read_capacity: { mode: 'Dedicated', dedicated } });
    const { manual } = DEDICATED.dedicated;
    await refused(
      change({ manual }),
      badArgument('read_capacity.dedicated.scaling is required with manual.'),
    );
    await refused(
      change({ scaling: 'Manual' }),
      badArgument('read_capacity.dedicated.manual is required with scaling.'),
    );
    await refused(
      change({ scaling: 'Auto', manual }),
      badArgument('read_capacity.dedicated.scaling must be Manual.'),
    );
    await configured(change({}));
    await capacityIs('Ready');
  });

  const podFaults: readonly (readonly [object, string])[] = [
    [
      { deployment: { pod_type: 'p1.x1' } },
      'Bad request: Cannot scale down an index, only up. Current pod_type is: p1.x2, got p1.x1.',
    ],
    [
      { deployment: { pod_type: 's1.x8' } },
      'Bad request: Cannot change pod type. Current type is: p1; expected one of its sizes, got s1.x8.',
    ],
    [{ deployment: { replicas: 0 } }, 'replicas must be an integer of at least 1.'],
    [{ spec: { pod: { shards: 4 } } }, 'shards of an index cannot be changed.'],
    [{ read_capacity: DEDICATED }, 'Index books is a pod index; it has no read capacity.'],
  ];
  test('responds 400 to changes that a pod index does not allow', async () => {
    await makePod();
    for (const [body, message] of podFaults) await refused(body, badArgument(message));
  });

  test('responds 404 to an unknown index and to one of another project, whatever the body', async () => {
    const missing = notFound('index-not-found', 'Index books not found.');
    await refused({ nonsense: 1 }, missing, { version: '2026-07' });
    await makeServerless();
    await refused({}, missing, { access: STRANGER });
  });

  test('responds 422 to wrong types, and to unknown fields of the 2026-07 body', async () => {
    await makeServerless();
    const call: TestCall = { version: '2026-07' };
    await refused(
      '{"tags":{"a":1}}',
      undeserializable('invalid type: integer `1`, expected a string at line 1 column 14'),
    );
    await refused(
      '{"dimension":3}',
      undeserializable(
        'unknown field `dimension`, expected one of `deletion_protection`, `tags`, `deployment`, `read_capacity`, `schema` at line 1 column 14',
      ),
      call,
    );
    await configured({ colour: 'red' }, { version: '2026-04' });
  });

  test('takes null for absent in fields of either form, whatever the version', async () => {
    await makeServerless();
    const tags = { a: '3', b: '4' };
    for (const field of ['spec', 'embed', 'deployment', 'schema', 'read_capacity'])
      for (const version of ['2024-10', '2026-07', null] as const) {
        const { tags: changed } = await configured({ [field]: null, tags }, { version });
        assert.deepEqual(changed, tags, `${field}, ${version}`);
      }
  });
});
