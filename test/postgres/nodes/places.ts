// Where an index is among nodes with records of their own.
import assert from 'node:assert/strict';
import type { RealPostgres } from '../server.ts';
import type { ListedNode, MixedNodes } from './mixed-nodes.ts';

/** The node that has an index, its place among the nodes, and a node that has not. */
export async function placeOf(server: RealPostgres, url: string, nodes: MixedNodes, name: string) {
  const [row] = await server.run(
    `select node_id from pinyon.placements join pinyon.indexes using (id) where name = '${name}'`,
    url,
  );
  const listed = await nodes.list();
  const owner = listed.find(({ id }) => id === row?.node_id);
  const other = listed.find(({ id, alive }) => id !== row?.node_id && alive);
  assert.ok(owner && other);
  const at = (node: ListedNode) =>
    nodes.nodes.findIndex(({ url: own }) => new URL(own).port === new URL(node.address).port);
  return { owner, other, ownerAt: at(owner), otherAt: at(other) };
}
