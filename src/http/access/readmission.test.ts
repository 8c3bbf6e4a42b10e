// Guarantees for slow bodies: a caller that loses its rights meanwhile changes nothing.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, mock, test } from 'node:test';
import { createServiceAccount } from '../../api/rest/admin/create-service-account.ts';
import { ACCESS_AUDIENCE } from '../../app/access/tokens.ts';
import type { RoleBinding } from '../../domain/administration/model.ts';
import type { Role } from '../../domain/administration/roles.ts';
import { until } from '../../platform/testing/until.ts';
import { CREATED_AT } from '../testing/fakes.ts';
import { bodyOf, openRaw } from '../testing/raw-client.ts';
import { KEY_A, startTestServer, type TestServer, testSigner } from '../testing/start-test-server.ts';

const BODY = '{"name":"robot"}';
const REFUSAL = { status: 401, error: { code: 'UNAUTHENTICATED', message: 'Invalid API key.' } };
const ACCOUNT = { id: 'account', organizationId: 'org', clientId: 'client', secretSha256: '', generation: 1 };

describe('readmission', () => {
  let server: TestServer;
  let handled: number;
  let token: string;
  /** Callers that were recognised, by credentials of either kind. */
  let recognised: () => Promise<number>;
  before(async () => {
    const handle = async () => {
      handled += 1;
      return { status: 201 };
    };
    server = await startTestServer({
      settings: { drainSeconds: 1 },
      admin: [{ ...createServiceAccount, handle }],
    });
    const claims = { sub: ACCOUNT.id, aud: ACCESS_AUDIENCE, principal: 'service_account', generation: 1 };
    const spies = [
      mock.method(server.principals, 'authenticateKey'),
      mock.method(server.tokens, 'accessOf'),
    ] as const;
    recognised = async () => {
      const [keys, tokens] = spies.map((spy) => spy.mock.calls.map(({ result }) => result));
      return (await Promise.all([...(keys ?? []), ...(tokens ?? [])])).length;
    };
    token = await testSigner().sign('at+jwt', { ...claims, 'https://pinecone.io/orgId': 'org' }, 60);
  });
  after(() => {
    mock.restoreAll();
    return server.server.stop();
  });
  beforeEach(() => {
    handled = 0;
    server.denials.length = 0;
    server.executor.calls.length = 0;
    server.principals.apply({ kind: 'service-account', account: ACCOUNT });
    server.principals.apply({ kind: 'binding', binding: owning('OrgOwner') });
  });

  function owning(role: Role): RoleBinding {
    const principal = { type: 'service_account', id: ACCOUNT.id } as const;
    const grant = { resourceType: 'organization', resourceId: 'org', role } as const;
    return { id: 'owning', organizationId: 'org', principal, ...grant, createdAt: CREATED_AT };
  }

  /**
   * Announces a body, lets `change` happen once `callers` have been let in, sends the body, and resolves to status and body of
   * the answer.
   */
  async function slowly(
    port: number,
    head: string,
    { change, callers = 1 }: { readonly change: () => void; readonly callers?: number },
  ): Promise<readonly unknown[]> {
    const before = await recognised();
    const lines = ['host: x', 'connection: close', 'content-type: application/json'];
    const raw = openRaw(
      port,
      [head, ...lines, `content-length: ${BODY.length}`, '', BODY.slice(0, 5)].join('\r\n'),
    );
    await until(async () => (await recognised()) >= before + callers, 'admission');
    // Nothing but turns of the event loop lies between the caller's name and the wait for the body.
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    change();
    raw.socket.write(BODY.slice(5));
    const answer = await raw.closed;
    const status = Number(answer.toString().split(' ', 2)[1]);
    return [status, status < 300 ? null : bodyOf(answer)];
  }

  const adminHead = () => `POST /admin/service-accounts HTTP/1.1\r\nauthorization: Bearer ${token}`;
  const keyGone = () =>
    server.principals.apply({ kind: 'principal-gone', principal: { type: 'api_key', id: 'key-a' } });

  describe('while a body arrives', () => {
    test('serves a caller that keeps its rights', async () => {
      assert.deepEqual(await slowly(server.port, adminHead(), { change: () => undefined }), [201, null]);
      assert.equal(handled, 1);
    });

    test('refuses the call after its secret is rotated, and names the caller in the audit log', async () => {
      const change = () =>
        server.principals.apply({ kind: 'service-account', account: { ...ACCOUNT, generation: 2 } });
      assert.deepEqual(await slowly(server.port, adminHead(), { change }), [401, REFUSAL]);
      assert.equal(handled, 0);
      assert.equal(server.denials.at(-1)?.actor.id, ACCOUNT.id);
    });

    test('refuses the call after its role is revoked', async () => {
      const change = () => server.principals.apply({ kind: 'binding', binding: owning('OrgMember') });
      const [status] = await slowly(server.port, adminHead(), { change });
      assert.deepEqual([status, handled], [403, 0]);
    });

    test('lets a deleted key neither change the control plane nor write a record', async () => {
      // Whichever learns first that both are let in deletes the key.
      const both = { change: keyGone, callers: 2 };
      const data = slowly(server.indexPort, `POST /query HTTP/1.1\r\napi-key: ${KEY_A}`, both);
      const control = slowly(server.port, `POST /things HTTP/1.1\r\napi-key: ${KEY_A}`, both);
      assert.deepEqual(await Promise.all([data, control]), [
        [401, REFUSAL],
        [401, REFUSAL],
      ]);
      assert.deepEqual(server.executor.calls, []);
    });
  });
});
