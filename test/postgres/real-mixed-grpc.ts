// Namespace aliases over gRPC where nodes have records of their own: a client that knows the published .proto file alone
// does the same at the node of the index and at another one, which forwards.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import {
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { found, until } from '../support/until.ts';
import { MixedNodes } from './nodes/mixed-nodes.ts';
import { KEY, type WholeNode } from './nodes/whole-node.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';

type Message = Readonly<Record<string, unknown>>;
type Done = (error: ServiceError | null, answer: Message) => void;
type Method = (request: Message, metadata: Metadata, done: Done) => unknown;

const PROTO = new URL('../../docs/reference/vector-service.proto', import.meta.url).pathname;
const SERVICES = loadPackageDefinition(loadSync(PROTO, { keepCase: true, longs: Number }));

const reason = whyNotHere();
if (reason === null) {
  const server = await startPostgres(60);
  after(() => server.stop());
  describeAliases(server);
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL can be run here: ${reason}\n`);
}

/** Asks one node about the index of a host. */
function clientOf(node: WholeNode, host: string) {
  const options = { 'grpc.default_authority': new URL(host).host };
  const serviceOf = (name: 'VectorService' | 'NamespaceAliasService') => {
    const Client = SERVICES[name] as ServiceClientConstructor;
    return new Client(new URL(node.url).host, credentials.createInsecure(), options);
  };
  const [vectors, aliases] = [serviceOf('VectorService'), serviceOf('NamespaceAliasService')];
  return {
    ask: (name: string, request: Message, key = KEY): Promise<Message> => {
      const client = name.endsWith('Alias') || name.endsWith('Aliases') ? aliases : vectors;
      const metadata = new Metadata();
      metadata.set('api-key', key);
      return new Promise((resolve, reject) => {
        const done: Done = (error, answer) => (error === null ? resolve(answer) : reject(error));
        (client[name] as Method).call(client, request, metadata, done);
      });
    },
    close: () => {
      vectors.close();
      aliases.close();
    },
  };
}

/** Code, message and reason of a refusal. */
async function refusalOf(asked: Promise<Message>, reason: string) {
  const error = await asked.then(
    () => assert.fail('it was answered'),
    (refused: ServiceError) => refused,
  );
  const [details] = error.metadata.get('grpc-status-details-bin');
  return { code: error.code, message: error.details, hasReason: String(details).includes(reason) };
}

function describeAliases(server: RealPostgres): void {
  describe('namespace aliases over gRPC at nodes with records of their own', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinyon-mixed-grpc-'));
    after(() => rmSync(folder, { recursive: true, force: true }));

    it('are managed and used at each node alike, and refused alike', async (test) => {
      const nodes = await MixedNodes.start(['one', 'two'], { folder, url: await server.newDatabase() });
      test.after(() => nodes.kill());
      const host = await nodes.createIndex('books', 0);
      const listed = await found(async () => {
        const list = await nodes.list();
        return list.some(({ placed }) => placed === 1) ? list : undefined;
      }, 'the node of the index');
      const owner = listed.find(({ placed }) => placed === 1);
      const isOwner = ({ url }: WholeNode) => new URL(url).port === new URL(owner?.address ?? '').port;
      const ordered = nodes.nodes.toSorted((a, b) => Number(isOwner(b)) - Number(isOwner(a)));
      const clients = ordered.map((node) => clientOf(node, host));
      test.after(() => clients.forEach((client) => void client.close()));
      const [here, there] = clients;
      assert.ok(here && there);

      for (const namespace of ['v1', 'v2'])
        await there.ask('Upsert', { namespace, vectors: [{ id: namespace, values: [1, 1, 1] }] });
      for (const [at, [by, other]] of [[there, here] as const, [here, there] as const].entries()) {
        const name = `live-${at}`;
        const made = await by.ask('CreateNamespaceAlias', { name, target_namespace: 'v1' });
        assert.deepEqual([made.name, made.target_namespace], [name, 'v1']);
        for (const client of clients) {
          assert.deepEqual(await client.ask('DescribeNamespaceAlias', { alias_name: name }), made);
          const all = await client.ask('ListNamespaceAliases', { limit: 1, prefix: 'live' });
          assert.equal(all.total_count, 1);
          const fetched = await client.ask('Fetch', { namespace: name, ids: ['v1'] });
          assert.deepEqual([fetched.namespace, Object.keys(fetched.vectors as Message)], ['v1', ['v1']]);
        }
        const moved = await other.ask('RepointNamespaceAlias', { alias_name: name, target_namespace: 'v2' });
        assert.deepEqual([moved.target_namespace, moved.created_at], ['v2', made.created_at]);
        for (const client of clients) {
          const queried = await client.ask('Query', { namespace: name, top_k: 1, vector: [1, 1, 1] });
          assert.equal(queried.namespace, 'v2');
        }
        for (const [method, request, code, reason] of [
          [
            'CreateNamespaceAlias',
            { name, target_namespace: 'v1' },
            status.ALREADY_EXISTS,
            'ALIAS_ALREADY_EXISTS',
          ],
          ['CreateNamespaceAlias', { name: 'c' }, status.INVALID_ARGUMENT, 'TARGET_NAMESPACE_REQUIRED'],
          ['DescribeNamespaceAlias', { alias_name: 'none' }, status.NOT_FOUND, 'ALIAS_NOT_FOUND'],
          ['ListNamespaceAliases', { limit: 0 }, status.INVALID_ARGUMENT, 'LIST_INVALID_LIMIT'],
        ] as const) {
          const refusals = [];
          for (const client of clients) refusals.push(await refusalOf(client.ask(method, request), reason));
          assert.deepEqual(refusals[0], refusals[1], method);
          assert.deepEqual([refusals[0]?.code, refusals[0]?.hasReason], [code, true], method);
        }
        const wrong = await refusalOf(by.ask('DeleteNamespaceAlias', { alias_name: name }, 'pck_wrong'), '');
        assert.equal(wrong.code, status.UNAUTHENTICATED);
        assert.deepEqual(await other.ask('DeleteNamespaceAlias', { alias_name: name }), {});
        for (const client of clients) {
          const gone = await refusalOf(
            client.ask('DescribeNamespaceAlias', { alias_name: name }),
            'ALIAS_NOT_FOUND',
          );
          assert.deepEqual([gone.code, gone.hasReason], [status.NOT_FOUND, true]);
        }
      }

      await ordered[0]?.kill();
      const isUnavailable = async () =>
        (await refusalOf(there.ask('CreateNamespaceAlias', { name: 'dead', target_namespace: 'v1' }), ''))
          .code === status.UNAVAILABLE;
      await until(isUnavailable);
    });
  });
}
