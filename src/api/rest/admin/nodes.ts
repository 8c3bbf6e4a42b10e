// GET /admin/nodes, PATCH and DELETE /admin/nodes/{node_id}: the nodes that have records of their own. Only for owners of
// the server's own organization. Not in the public API.
import { fault } from '../../../domain/faults.ts';
import type { NodeAdministration } from '../../../domain/nodes/services.ts';
import type { EndpointDetails } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { NodeObject, nodeToWire } from './node-wire.ts';
import { readBody } from './read-body.ts';

const EXTENSION = 'An extension of this server, not part of the public API.';

const NodeParams = Type.Object({
  node_id: Type.String({
    description: 'Id or address of the node.',
    examples: ['7d3f4c1e-2b7a-4a53-9f0e-3a1f5f0c9b21'],
  }),
});

const NodeBody = Type.Object({
  draining: Type.Boolean({
    description: 'True to have its indexes moved away, and to place no new ones there.',
    examples: [true],
  }),
});

export const NODE_FACTS = {
  tag: 'Nodes',
  since: '2025-04',
  errors: 'standard',
  permission: 'admin::organization::update',
  scope: 'organization',
} as const satisfies Partial<EndpointDetails> & Pick<AdminEndpoint, 'permission' | 'scope'>;

/** @throws access-forbidden for owners of other organizations */
export function nodesOf({ access, services: { nodes } }: AdminCall): NodeAdministration {
  if (nodes.organizationId === access.organizationId) return nodes;
  throw fault('access-forbidden', { permission: NODE_FACTS.permission });
}

export async function auditNodes(
  { services, actor, access }: AdminCall,
  action: string,
  details: Readonly<Record<string, string | boolean>>,
): Promise<void> {
  const { organizationId } = access;
  await services.administration.audit.record(
    { organizationId, action, resourceType: 'server', resourceId: '', details },
    actor,
  );
}

export const listNodes: AdminEndpoint = {
  ...NODE_FACTS,
  id: 'list_nodes',
  method: 'GET',
  path: '/admin/nodes',
  summary: 'List nodes',
  description: `The nodes that have records of their own, by address; none where there are no such nodes. For owners of the server's first organization. ${EXTENSION}`,
  success: {
    status: 200,
    description: 'The nodes.',
    schema: Type.Object({ data: Type.Array(NodeObject) }),
  },
  faults: ['access-forbidden'],
  handle: async (call) => ({
    status: 200,
    body: { data: (await nodesOf(call).list()).map(nodeToWire) },
  }),
};

export const updateNode: AdminEndpoint = {
  ...NODE_FACTS,
  id: 'update_node',
  method: 'PATCH',
  path: '/admin/nodes/{node_id}',
  summary: 'Drain a node',
  description: `Has the indexes of a node moved to the others, one job for each, and its assistants likewise, and places no new ones there; or ends that. For owners of the server's first organization. Audited. ${EXTENSION}`,
  params: NodeParams,
  body: NodeBody,
  success: { status: 200, description: 'The node.', schema: NodeObject },
  faults: ['invalid-argument', 'access-forbidden', 'node-not-found'],
  handle: async (call) => {
    const nodes = nodesOf(call);
    const { draining } = readBody(NodeBody, call.body);
    const { node_id: id = '' } = call.params;
    await auditNodes(call, 'server.drain_node', { node: id.slice(0, 200), draining });
    return { status: 200, body: nodeToWire(await nodes.drain(id, draining)) };
  },
};

export const deleteNode: AdminEndpoint = {
  ...NODE_FACTS,
  id: 'delete_node',
  method: 'DELETE',
  path: '/admin/nodes/{node_id}',
  summary: 'Forget a node',
  description: `Forgets a node that is gone for good. It must not run, and have no indexes and assistants. For owners of the server's first organization. Audited. ${EXTENSION}`,
  params: NodeParams,
  success: { status: 204, description: 'The node is forgotten.' },
  faults: ['access-forbidden', 'node-not-found', 'node-in-use'],
  handle: async (call) => {
    const nodes = nodesOf(call);
    const { node_id: id = '' } = call.params;
    await auditNodes(call, 'server.forget_node', { node: id.slice(0, 200) });
    await nodes.forget(id);
    return { status: 204 };
  },
};
