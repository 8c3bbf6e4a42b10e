// POST and GET /admin/projects/{project_id}/assistants/{assistant_name}/move: moves an assistant to another node. Only for
// owners of the server's own organization. Not in the public API.
import type { IndexName } from '../../../domain/nodes/services.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { AssistantMoveObject, assistantMoveToWire } from './node-wire.ts';
import { auditNodes, NODE_FACTS, nodesOf } from './nodes.ts';
import { ProjectParams } from './project-wire.ts';
import { readBody } from './read-body.ts';
import { authorizedProject } from './visible-project.ts';

const EXTENSION = 'An extension of this server, not part of the public API.';
const PATH = '/admin/projects/{project_id}/assistants/{assistant_name}/move';

const MoveParams = Type.Object({
  ...ProjectParams.properties,
  assistant_name: Type.String({ description: 'Name of the assistant.', examples: ['helper'] }),
});

const MoveBody = Type.Object({
  node: Type.String({
    minLength: 1,
    description: 'Id or address of the node that gets the assistant.',
    examples: ['http://10.0.0.3:5080'],
  }),
  from_files: Type.Optional(
    Type.Boolean({
      description: 'For an assistant whose node is gone for good: true to process its files again.',
      examples: [false],
    }),
  ),
});

const MoveAnswer = Type.Object({ move: Type.Union([AssistantMoveObject, Type.Null()]) });

function assistantOf(call: AdminCall): IndexName {
  const { id: projectId } = authorizedProject(call, { see: 'admin::project::read' });
  return { projectId, name: call.params.assistant_name ?? '' };
}

export const moveAssistant: AdminEndpoint = {
  ...NODE_FACTS,
  id: 'move_assistant',
  method: 'POST',
  path: PATH,
  summary: 'Move an assistant',
  description: `Moves an assistant to another node, while it answers. Files that are uploaded meanwhile are processed afterwards. With \`from_files\`, it is taken over from a node that is gone for good, and its files are processed again; none is lost. While a move is under way, the answer is about that one. For owners of the server's first organization. Audited. ${EXTENSION}`,
  params: MoveParams,
  body: MoveBody,
  success: { status: 202, description: 'The move.', schema: MoveAnswer },
  faults: [
    'invalid-argument',
    'access-forbidden',
    'project-not-found',
    'assistant-not-found',
    'node-not-found',
    'move-refused',
  ],
  handle: async (call) => {
    const nodes = nodesOf(call);
    const assistant = assistantOf(call);
    const { node, from_files: fromFiles = false } = readBody(MoveBody, call.body);
    await auditNodes(call, 'server.move_assistant', {
      assistant: assistant.name.slice(0, 200),
      node: node.slice(0, 200),
      from_files: fromFiles,
    });
    const move = await nodes.moveAssistant(assistant, node, fromFiles);
    return { status: 202, body: { move: assistantMoveToWire(move) } };
  },
};

export const describeAssistantMove: AdminEndpoint = {
  ...NODE_FACTS,
  id: 'describe_assistant_move',
  method: 'GET',
  path: PATH,
  summary: 'Describe the move of an assistant',
  description: `The latest move of the assistant; null when there was none. For owners of the server's first organization. ${EXTENSION}`,
  params: MoveParams,
  success: { status: 200, description: 'The move.', schema: MoveAnswer },
  faults: ['access-forbidden', 'project-not-found', 'assistant-not-found'],
  handle: async (call) => {
    const move = await nodesOf(call).latestAssistantMove(assistantOf(call));
    return { status: 200, body: { move: move === null ? null : assistantMoveToWire(move) } };
  },
};
