// Nodes and moves on the wire.
import type { AssistantMove, IndexMove, Move } from '../../../domain/nodes/moves.ts';
import type { Node } from '../../../domain/nodes/node.ts';
import { Type } from '../../schema/type.ts';

const NODE_ID = '7d3f4c1e-2b7a-4a53-9f0e-3a1f5f0c9b21';
const TIME = '2026-01-31T12:00:00.000Z';

export const NodeObject = Type.Object({
  id: Type.String({ description: 'Stays with the data folder of the node.', examples: [NODE_ID] }),
  address: Type.String({
    description: 'Where other nodes reach it: `PINYON_NODE_ADDRESS`.',
    examples: ['http://10.0.0.2:5080'],
  }),
  version: Type.String({ description: 'The release that it runs.', examples: ['0.2.0'] }),
  alive: Type.Boolean({
    examples: [true],
    description: 'Whether its lease holds. What it has answers 503 otherwise.',
  }),
  draining: Type.Boolean({
    examples: [false],
    description: 'Whether it gets no new indexes.',
  }),
  placed: Type.Integer({ description: 'Indexes and assistants that it has.', examples: [12] }),
  memory_free_bytes: Type.Integer({ examples: [8_589_934_592] }),
  disk_free_bytes: Type.Integer({ examples: [107_374_182_400] }),
  last_seen_at: Type.String({
    examples: [TIME],
    format: 'date-time',
    description: 'When it last renewed its lease.',
  }),
});

const MOVE = {
  id: Type.String({ description: 'Id of the move.', examples: ['3b0e4a52-61c8-4b7e-8f0d-5d9c2f6a1e74'] }),
  node: Type.String({ description: 'Id of the node that gets it.', examples: [NODE_ID] }),
  state: Type.String({
    enum: ['Pending', 'Running', 'Undoing', 'Completed', 'Failed', 'Cancelled'],
    description: 'A move that failed has left all where it was, unless it was from a backup.',
    examples: ['Completed'],
  }),
  step: Type.String({
    enum: ['Copying', 'Following', 'Switching', 'Done'],
    description: 'What it does, or did last.',
    examples: ['Done'],
  }),
  records_copied: Type.Integer({
    description: 'Records of the copy, or of the backup, without what changed since.',
    examples: [100_000],
  }),
  writes_held_ms: Type.Union([Type.Integer(), Type.Null()], {
    description: 'How long writes waited for the switch; null before it.',
    examples: [282],
  }),
  error: Type.Union([Type.String(), Type.Null()], {
    description: 'Why it failed, or began again.',
    examples: [null],
  }),
  created_at: Type.String({ format: 'date-time', examples: [TIME] }),
  finished_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { examples: [TIME] }),
};

export const MoveObject = Type.Object({
  index: Type.String({ description: 'Name of the index.', examples: ['books'] }),
  ...MOVE,
  backup_id: Type.Union([Type.String(), Type.Null()], {
    description: 'The backup that it is made from; null for a copy from its node.',
    examples: [null],
  }),
  complete_until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description:
      'Writes that were acknowledged before are in the backup, and later ones are lost; null for a copy from its node, which loses none.',
    examples: [null],
  }),
});

export const AssistantMoveObject = Type.Object({
  assistant: Type.String({ description: 'Name of the assistant.', examples: ['helper'] }),
  ...MOVE,
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

export function moveToWire(move: IndexMove) {
  return {
    index: move.indexName,
    ...commonToWire(move),
    backup_id: move.source?.backupId ?? null,
    complete_until: move.source?.completeUntil ?? null,
  };
}

export function assistantMoveToWire(move: AssistantMove) {
  return { assistant: move.assistantName, ...commonToWire(move) };
}

function commonToWire(move: Move) {
  return {
    id: move.id,
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
