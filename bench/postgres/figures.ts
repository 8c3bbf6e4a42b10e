// What a node on PostgreSQL adds to the same SQL by hand, beside the embedded engine: `npm run bench:postgres`.
//
// All are asked in turn from one process, so that a drift of the machine's speed affects all of them.
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WholeNode } from '../../test/postgres/nodes/whole-node.ts';
import { whyNoPgvector } from '../../test/postgres/pgvector.ts';
import { type RealPostgres, startPostgres, whyNotHere } from '../../test/postgres/server.ts';
import { machine, percentile } from '../support/figures.ts';
import { startService } from '../support/service.ts';
import { type Contender, embedded, onNode, sqlByHand } from './contenders.ts';
import { measureForwarding } from './forwarding.ts';
import { fillLargeNamespace, fillNamespaces, measureNamespaces } from './namespaces.ts';
import { forgetLimit, measureNodes } from './nodes.ts';

const PORT = 27_100;
const ROUNDS = 40;
const QUERIES_A_TURN = 10;
/** Records and dimension; beyond 10,000 records, pgvector's graph answers. */
const SIZES = [
  [2_000, 128],
  [10_000, 128],
  [12_000, 64],
] as const;

/** `npm run bench:postgres -- forwarding`, `overhead`, `namespaces` or `nodes` leaves the rest out. */
const only = process.argv.slice(2);
const isAsked = (part: string) => only.length === 0 || only.includes(part);

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) await run();
else process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);

async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-postgres-'));
  const server = await startPostgres(100);
  const url = await server.newDatabase();
  const env = { PINYON_DATABASE_URL: url };
  const node = new WholeNode({ name: 'one', folder, env });
  try {
    await node.start();
    print(machine());
    if (isAsked('forwarding')) print(await measureForwarding({ folder, url: await server.newDatabase() }));
    if (isAsked('overhead')) await overhead(join(folder, 'embedded'), server, node, url);
    if (isAsked('namespaces')) await namespaces(server, node, url);
    // Last: it slows the node for good.
    if (isAsked('nodes')) await twoNodes(node, new WholeNode({ name: 'two', folder, env }));
  } finally {
    await node.stop();
    forgetLimit(node.pid);
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function overhead(folder: string, server: RealPostgres, node: WholeNode, url: string): Promise<void> {
  const service = await startService(folder, { base: PORT });
  try {
    print(
      '| records | SQL by hand, p50 | node, p50 | node / SQL, p50 | embedded, p50 | processor of the node a query |',
    );
    print('|---|---|---|---|---|---|');
    for (const [records, dimension] of SIZES) {
      const options = { records, dimension, url };
      const [node1, engine] = [await onNode(node, options), await embedded(service, options)];
      await server.run('vacuum analyze', url);
      await compare(options, [await sqlByHand(options), node1, engine]);
    }
  } finally {
    await service.stop();
  }
}

async function twoNodes(node: WholeNode, other: WholeNode): Promise<void> {
  await other.start();
  try {
    print(await measureNodes([node, other]));
  } finally {
    await other.stop();
    forgetLimit(other.pid);
  }
}

async function namespaces(server: RealPostgres, node: WholeNode, url: string): Promise<void> {
  const filled = await fillNamespaces(server, node, url);
  print(await measureNamespaces(node));
  await fillLargeNamespace(server, url, filled);
  print(`the same beside a namespace of 1,000,000 records:\n${await measureNamespaces(node)}`);
}

async function compare(
  { records, dimension }: { readonly records: number; readonly dimension: number },
  contenders: readonly Contender[],
): Promise<void> {
  const times = contenders.map((): number[] => []);
  const processor = contenders.map(() => 0);
  let asked = 0;
  for (let round = -3; round < ROUNDS; round++) {
    for (const [at, contender] of contenders.entries()) {
      const before = contender.processorMs();
      for (let query = 0; query < QUERIES_A_TURN; query++) {
        const started = performance.now();
        await contender.ask(asked + query);
        if (round >= 0) times[at]?.push(performance.now() - started);
      }
      if (round >= 0) processor[at] = (processor[at] ?? 0) + contender.processorMs() - before;
    }
    asked += QUERIES_A_TURN;
  }
  const [sql = Number.NaN, node = Number.NaN, engine = Number.NaN] = times.map((each) =>
    percentile(each, 0.5),
  );
  const nodeMs = (processor[1] ?? 0) / (ROUNDS * QUERIES_A_TURN);
  const cells = [
    `${records.toLocaleString('en')} x ${dimension}`,
    ...[sql, node].map(ms),
    `${(node / sql).toFixed(2)} x`,
    ms(engine),
    ms(nodeMs),
  ];
  print(`| ${cells.join(' | ')} |`);
  for (const contender of contenders) await contender.close();
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
