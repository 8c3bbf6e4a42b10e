// Nodes and moves in the administration: only for owners of the server's organization, checked and audited.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SYSTEM } from '../../../domain/administration/audit.ts';
import { Fault, type FaultName } from '../../../domain/faults.ts';
import type { Index } from '../../../domain/index-model.ts';
import { AdminSurface, HOME } from '../testing/admin-client.ts';
import { describeIndexMove, moveIndex } from './move-index.ts';
import { deleteNode, listNodes, updateNode } from './nodes.ts';

const PROJECT = '11111111-1111-4111-8111-111111111111';
const CREATED_AT = '2026-01-01T00:00:00.000Z';
const INDEX: Index = {
  id: 'index-1',
  projectId: PROJECT,
  name: 'books',
  vectorType: 'dense',
  metric: 'cosine',
  dimension: 3,
  deployment: { kind: 'byoc', environment: 'here', readCapacity: { mode: 'OnDemand' }, metadataSchema: null },
  state: 'Ready',
  deletionProtection: 'disabled',
  tags: {},
  port: null,
  createdAt: CREATED_AT,
  embed: null,
  documents: null,
  placement: { nodeId: 'node-one', epoch: 1 },
};

const is = (condition: FaultName) => (error: unknown) =>
  error instanceof Fault && error.condition === condition;

describe('nodes in the administration', () => {
  let surface: AdminSurface;

  before(async () => {
    surface = await AdminSurface.make();
    const { administration, nodes } = surface.catalog;
    await administration.projects.create(
      {
        id: PROJECT,
        organizationId: HOME,
        name: 'Default',
        createdAt: CREATED_AT,
        maxPods: 0,
        forceEncryptionWithCmek: false,
      },
      SYSTEM,
    );
    for (const id of ['node-one', 'node-two', 'node-dead']) {
      const figures = {
        memoryFreeBytes: 2,
        diskFreeBytes: 3,
        leaseMs: id === 'node-dead' ? -1 : 1_000_000,
        isHeld: false,
      };
      await nodes.renew({ id, incarnation: id, address: `http://${id}:5080`, release: '1', ...figures });
    }
    surface.indexes.push(INDEX, { ...INDEX, id: 'index-2', name: 'unready', state: 'Initializing' });
  });
  after(() => surface.dispose());

  const move = (node: string, name = 'books') =>
    surface.call(moveIndex, { params: { project_id: PROJECT, index_name: name }, body: { node } });

  it('lists nodes with what they have free, and whether they are alive', async () => {
    const { body } = await surface.call(listNodes);
    const { data } = body as { readonly data: readonly { readonly id: string; readonly alive: boolean }[] };
    assert.deepEqual(
      data.map(({ id, alive }) => [id, alive]),
      [
        ['node-dead', false],
        ['node-one', true],
        ['node-two', true],
      ],
    );
  });

  it('is refused to owners of other organizations', async () => {
    for (const endpoint of [listNodes, deleteNode])
      await assert.rejects(
        surface.call(endpoint, { as: surface.foreigner, params: { node_id: 'node-one' } }),
        is('access-forbidden'),
      );
  });

  it('refuses moves that cannot be', async () => {
    await assert.rejects(move('node-one'), is('move-refused'));
    await assert.rejects(move('node-dead'), is('move-refused'));
    await assert.rejects(move('node-none'), is('node-not-found'));
    await assert.rejects(move('node-two', 'unready'), is('move-refused'));
    await assert.rejects(move('node-two', 'nothing'), is('index-not-found'));
  });

  it('begins one move at a time, by the address of a node too, and describes it', async () => {
    const params = { project_id: PROJECT, index_name: 'books' };
    assert.deepEqual((await surface.call(describeIndexMove, { params })).body, { move: null });
    const first = (await move('http://node-two:5080/')).body as { readonly move: { readonly id: string } };
    const second = (await move('node-two')).body as { readonly move: { readonly id: string } };
    assert.equal(first.move.id, second.move.id);
    assert.deepEqual((await surface.call(describeIndexMove, { params })).body, first);
  });

  it('drains nodes, and forgets only those that are dead', async () => {
    const drained = await surface.call(updateNode, {
      params: { node_id: 'node-two' },
      body: { draining: true },
    });
    assert.equal((drained.body as { readonly draining: boolean }).draining, true);
    await assert.rejects(surface.call(deleteNode, { params: { node_id: 'node-two' } }), is('node-in-use'));
    await surface.call(deleteNode, { params: { node_id: 'node-dead' } });
    await assert.rejects(
      surface.call(deleteNode, { params: { node_id: 'node-dead' } }),
      is('node-not-found'),
    );
  });
});
