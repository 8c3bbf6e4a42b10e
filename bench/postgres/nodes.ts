// Two nodes against one under reads. Client, database and nodes share a machine, so each node gets a small part of a
// core by a control group of Linux: what is compared is one such part with two, while the database has more than it needs.
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { KEY, type WholeNode } from '../../test/postgres/nodes/whole-node.ts';
import { percentile } from '../support/figures.ts';
import { randomVectors } from '../support/random-vectors.ts';
import { call } from '../support/service.ts';

const GROUPS = '/sys/fs/cgroup/cpu';
const PERIOD_US = 100_000;
const CORES_A_NODE = 0.1;
const CLIENTS = 16;
const ROUNDS = 5;
const ROUND_MS = 5_000;
const RECORDS = 2_000;
const DIMENSION = 64;
const QUERIES = 200;
const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };

/** A line of what one node and two answer, or why that cannot be measured here. */
export async function measureNodes(nodes: readonly [WholeNode, WholeNode]): Promise<string> {
  const query = await fill(nodes[0]);
  try {
    for (const node of nodes) limit(node.pid);
  } catch (error) {
    return `SKIPPED: two nodes against one need control groups: ${String(error)}`;
  }
  const one: number[] = [];
  const two: number[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const rates = [await load([nodes[0]], query), await load(nodes, query)];
    if (round < 0) continue;
    one.push(rates[0] ?? 0);
    two.push(rates[1] ?? 0);
  }
  const [alone, both] = [percentile(one, 0.5), percentile(two, 0.5)];
  return (
    `two nodes against one, ${CORES_A_NODE} cores a node of ${cpus().length}, ${CLIENTS} clients: ` +
    `${both.toFixed(0)} / ${alone.toFixed(0)} queries/s, ${(both / alone).toFixed(2)} x`
  );
}

type Query = (node: WholeNode, agent: Agent, number: number) => Promise<void>;

async function fill(node: WholeNode): Promise<Query> {
  const name = 'nodes';
  const made = await node.call('POST', '/indexes', {
    body: { name, dimension: DIMENSION, metric: 'cosine', spec: SPEC },
  });
  const { host } = made.body as { readonly host: string };
  const vectors = randomVectors(RECORDS, DIMENSION, 3).map((values, at) => ({ id: `r${at}`, values }));
  for (let first = 0; first < RECORDS; first += 500) {
    const body = { vectors: vectors.slice(first, first + 500) };
    await node.call('POST', '/vectors/upsert', { index: host, body });
  }
  const headers = { 'api-key': KEY, host: new URL(host).host };
  const bodies = randomVectors(QUERIES, DIMENSION, 7).map((vector) =>
    Buffer.from(JSON.stringify({ vector, topK: 10 })),
  );
  return async (to, agent, number) => {
    const { status, text } = await call(agent, `${to.url}/query`, bodies[number % QUERIES], headers);
    if (status !== 200) throw new Error(text);
  };
}

/** Queries a second of clients that wait for each answer, spread over the nodes. */
async function load(nodes: readonly WholeNode[], query: Query): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const end = performance.now() + ROUND_MS;
  let asked = 0;
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      const node = nodes[client % nodes.length] as WholeNode;
      while (performance.now() < end) await query(node, agent, asked++);
    }),
  );
  agent.destroy();
  return (1_000 * asked) / ROUND_MS;
}

/** Holds the process within its part of a core. */
function limit(pid: number): void {
  const group = groupOf(pid);
  mkdirSync(group);
  writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
  writeFileSync(join(group, 'cpu.cfs_quota_us'), String(PERIOD_US * CORES_A_NODE));
  writeFileSync(join(group, 'cgroup.procs'), String(pid));
}

/** Removes the group of a process that has ended. */
export function forgetLimit(pid: number): void {
  if (existsSync(groupOf(pid))) rmdirSync(groupOf(pid));
}

function groupOf(pid: number): string {
  return join(GROUPS, `pinyon-bench-${pid}`);
}
