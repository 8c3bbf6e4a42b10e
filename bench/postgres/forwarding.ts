// What forwarding adds to a query: two nodes with records of their own, the node of an index asked directly and through the
// other one by turns.
import { Agent } from 'node:http';
import { KEY, MixedNodes } from '../../test/postgres/nodes/mixed-nodes.ts';
import type { WholeNode } from '../../test/postgres/nodes/whole-node.ts';
import { percentile } from '../support/figures.ts';
import { processorSeconds } from '../support/process-load.ts';
import { randomVectors } from '../support/random-vectors.ts';
import { call } from '../support/service.ts';

const RECORDS = 10_000;
const BATCH = 500;
const DIMENSION = 128;
const ROUNDS = 60;
const WARM_UP_ROUNDS = 5;
const QUERIES_A_TURN = 20;
const MS_PER_SECOND = 1_000;

/** Lines with the median of both ways, and what a query costs the processor. */
export async function measureForwarding(place: { folder: string; url: string }): Promise<string> {
  const nodes = await MixedNodes.start(['forwarding-one', 'forwarding-two'], place);
  try {
    return await measured(nodes);
  } finally {
    await nodes.kill();
  }
}

async function measured(nodes: MixedNodes): Promise<string> {
  const index = await nodes.createIndex('forwarded', 0, DIMENSION);
  const vectors = randomVectors(RECORDS, DIMENSION, 5);
  for (let first = 0; first < RECORDS; first += BATCH) {
    const batch = vectors
      .slice(first, first + BATCH)
      .map((values, i) => ({ id: `r${first + i}`, values: [...values] }));
    await nodes.at(0).call('POST', '/vectors/upsert', { index, body: { vectors: batch } });
  }
  const [owner, other] = await byOwnership(nodes);
  const queries = randomVectors(ROUNDS * QUERIES_A_TURN, DIMENSION, 6).map((values) => [...values]);
  const ways = [owner, other].map((node) => ({
    node,
    agent: new Agent({ keepAlive: true }),
    times: [] as number[],
    processorMs: 0,
  }));
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const way of ways) {
      const before = processorOf(nodes);
      for (let at = 0; at < QUERIES_A_TURN; at++) {
        const vector = queries[(Math.abs(round) * QUERIES_A_TURN + at) % queries.length] ?? [];
        const startedAt = performance.now();
        await ask({ node: way.node, agent: way.agent, index, vector });
        if (round >= 0) way.times.push(performance.now() - startedAt);
      }
      if (round >= 0) way.processorMs += processorOf(nodes) - before;
    }
  }
  for (const { agent } of ways) agent.destroy();
  const [direct, forwarded] = ways.map(({ times, processorMs }) => ({
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    processorMs: processorMs / (ROUNDS * QUERIES_A_TURN),
  }));
  if (direct === undefined || forwarded === undefined) throw new Error('nothing was measured');
  const row = (name: string, { p50, p99, processorMs }: typeof direct) =>
    `| ${name} | ${p50.toFixed(2)} ms | ${p99.toFixed(2)} ms | ${processorMs.toFixed(2)} ms |`;
  return [
    `forwarding, ${RECORDS.toLocaleString('en')} x ${DIMENSION}, ${ROUNDS * QUERIES_A_TURN} queries each way by turns:`,
    '| way | p50 | p99 | processor of both nodes a query |',
    '|---|---|---|---|',
    row('direct', direct),
    row('forwarded', forwarded),
    `added at p50: ${(forwarded.p50 - direct.p50).toFixed(2)} ms`,
  ].join('\n');
}

/** The node of the only index, then the other one. */
async function byOwnership(nodes: MixedNodes): Promise<readonly [WholeNode, WholeNode]> {
  for (;;) {
    const owner = (await nodes.list()).find(({ placed }) => placed === 1);
    const at = nodes.nodes.findIndex(
      ({ url }) => owner !== undefined && new URL(url).port === new URL(owner.address).port,
    );
    if (at >= 0) return [nodes.at(at), nodes.at(at + 1)];
  }
}

interface Question {
  readonly node: WholeNode;
  readonly agent: Agent;
  readonly index: string;
  readonly vector: readonly number[];
}

async function ask({ node, agent, index, vector }: Question): Promise<void> {
  const headers = { 'api-key': KEY, host: new URL(index).host };
  const body = Buffer.from(JSON.stringify({ vector, topK: 10 }));
  const { status, text } = await call(agent, `${node.url}/query`, body, headers);
  if (status !== 200) throw new Error(`${status} ${text}`);
}

function processorOf(nodes: MixedNodes): number {
  return nodes.nodes.reduce((sum, { pid }) => sum + processorSeconds(pid) * MS_PER_SECOND, 0);
}
