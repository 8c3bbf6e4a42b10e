// Nodes and moves on the wire.
import type { Move } from '../../../domain/nodes/moves.ts';
import type { Node } from '../../../domain/nodes/node.ts';
import { Type } from '../../schema/type.ts';

export const NodeObject = Type.Object({
  id: Type.String({ description: 'Stays with the data folder of the node.' }),
  address: Type.String({
    description: 'Where other nodes reach it: `PINYON_NODE_ADDRESS`.',
    examples: ['http://10.0.0.2:5080'],
  }),
  version: Type.String({ description: 'The release that it runs.', examples: ['0.2.0'] }),
  alive: Type.Boolean({ description: 'Whether its lease holds. What it has answers 503 otherwise.' }),
  draining: Type.Boolean({ description: 'Whether it gets no new indexes.' }),
  placed: Type.Integer({ description: 'Indexes and assistants that it has.', examples: [12] }),
  memory_free_bytes: Type.Integer({ examples: [8_589_934_592] }),
  disk_free_bytes: Type.Integer({ examples: [107_374_182_400] }),
  last_seen_at: Type.String({ format: 'date-time', description: 'When it last renewed its lease.' }),
});

export const MoveObject = Type.Object({
  id: Type.String({ description: 'Id of the move.' }),
  index: Type.String({ description: 'Name of the index.', examples: ['books'] }),
  node: Type.String({ description: 'Id of the node that gets it.' }),
  state: Type.String({
    enum: ['Pending', 'Running', 'Undoing', 'Completed', 'Failed', 'Cancelled'],
    description: 'A move that failed has left the index where it was.',
  }),
  step: Type.String({
    enum: ['Copying', 'Following', 'Switching', 'Done'],
    description: 'What it does, or did last.',
  }),
  records_copied: Type.Integer({ description: 'Records of the copy, without what changed since.' }),
  writes_held_ms: Type.Union([Type.Integer(), Type.Null()], {
    description: 'How long writes waited for the switch; null before it.',
  }),
  error: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed, or began again.' }),
  created_at: Type.String({ format: 'date-time' }),
  finished_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
});

export function nodeToWire(node: Node) {
  return {
    id: node.id,
    address: node.address,
    version: node.release,
    alive: node.isAlive,
    draining: node.isDraining,
    placed: node.placed,
    memory_free_bytes: node.memoryFreeBytes,
    disk_free_bytes: node.diskFreeBytes,
    last_seen_at: node.seenAt,
  };
}

export function moveToWire(move: Move) {
  return {
    id: move.id,
    index: move.indexName,
    node: move.toNodeId,
    state: move.state,
    step: move.step,
    records_copied: move.recordsCopied,
    writes_held_ms: move.writesHeldMs,
    error: move.error,
    created_at: move.createdAt,
    finished_at: move.finishedAt,
  };
}
