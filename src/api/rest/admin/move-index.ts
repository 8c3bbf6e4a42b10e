// POST and GET /admin/projects/{project_id}/indexes/{index_name}/move: moves an index to another node. Only for owners of
// the server's own organization. Not in the public API.
import type { IndexName } from '../../../domain/nodes/services.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { MoveObject, moveToWire } from './node-wire.ts';
import { auditNodes, NODE_FACTS, nodesOf } from './nodes.ts';
import { ProjectParams } from './project-wire.ts';
import { readBody } from './read-body.ts';
import { authorizedProject } from './visible-project.ts';

const EXTENSION = 'An extension of this server, not part of the public API.';
const PATH = '/admin/projects/{project_id}/indexes/{index_name}/move';

const MoveParams = Type.Object({
  ...ProjectParams.properties,
  index_name: Type.String({ description: 'Name of the index.', examples: ['books'] }),
});

const MoveBody = Type.Object({
  node: Type.String({
    minLength: 1,
    description: 'Id or address of the node that gets the index.',
    examples: ['http://10.0.0.3:5080'],
  }),
  from_backup: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'For an index whose node is gone for good: the id of a backup of it, or `newest`. What was acknowledged after the backup is lost.',
      examples: ['newest'],
    }),
  ),
});

const MoveAnswer = Type.Object({ move: Type.Union([MoveObject, Type.Null()]) });

function indexOf(call: AdminCall): IndexName {
  const { id: projectId } = authorizedProject(call, { see: 'admin::project::read' });
  return { projectId, name: call.params.index_name ?? '' };
}

export const moveIndex: AdminEndpoint = {
  ...NODE_FACTS,
  id: 'move_index',
  method: 'POST',
  path: PATH,
  summary: 'Move an index',
  description: `Moves an index to another node, while it is read and written. Writes wait for a moment at the end; some may have to be repeated. With \`from_backup\`, the index is taken over from a node that is gone for good, and made anew: what that node still has is removed if it ever comes back. Its history begins anew, and so do followers of its changes. While a move is under way, the answer is about that one. For owners of the server's first organization. Audited. ${EXTENSION}`,
  params: MoveParams,
  body: MoveBody,
  success: { status: 202, description: 'The move.', schema: MoveAnswer },
  faults: [
    'invalid-argument',
    'access-forbidden',
    'project-not-found',
    'index-not-found',
    'node-not-found',
    'backup-not-found',
    'move-refused',
  ],
  handle: async (call) => {
    const nodes = nodesOf(call);
    const index = indexOf(call);
    const { node, from_backup: backup } = readBody(MoveBody, call.body);
    await auditNodes(call, 'server.move_index', {
      index: index.name.slice(0, 200),
      node: node.slice(0, 200),
      ...(backup !== undefined && { from_backup: backup }),
    });
    const move = await (backup === undefined
      ? nodes.move(index, node)
      : nodes.moveFromBackup(index, node, backup));
    return { status: 202, body: { move: moveToWire(move) } };
  },
};

export const describeIndexMove: AdminEndpoint = {
  ...NODE_FACTS,
  id: 'describe_index_move',
  method: 'GET',
  path: PATH,
  summary: 'Describe the move of an index',
  description: `The latest move of the index; null when there was none. For owners of the server's first organization. ${EXTENSION}`,
  params: MoveParams,
  success: { status: 200, description: 'The move.', schema: MoveAnswer },
  faults: ['access-forbidden', 'project-not-found', 'index-not-found'],
  handle: async (call) => {
    const move = await nodesOf(call).latestMove(indexOf(call));
    return { status: 200, body: { move: move === null ? null : moveToWire(move) } };
  },
};
