// Guarantees for bodies that come slowly: whoever lost the right to call meanwhile does nothing more with it.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServiceAccount } from '../../api/rest/admin/create-service-account.ts';
import { ACCESS_AUDIENCE } from '../../app/access/tokens.ts';
import type { RoleBinding } from '../../domain/administration/model.ts';
import type { Role } from '../../domain/administration/roles.ts';
import { CREATED_AT } from '../testing/fakes.ts';
import { bodyOf, openRaw } from '../testing/raw-client.ts';
import { KEY_A, startTestServer, type TestServer, testSigner } from '../testing/start-test-server.ts';

const BODY = '{"name":"robot"}';
/** Longer than anything on the way from the headers to the first wait for the body. */
const UNDER_WAY_MS = 100;
const REFUSAL = { status: 401, error: { code: 'UNAUTHENTICATED', message: 'Invalid API key.' } };
const ACCOUNT = { id: 'account', organizationId: 'org', clientId: 'client', secretSha256: '', generation: 1 };

let server: TestServer;
let handled: number;
let token: string;
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
  token = await testSigner().sign('at+jwt', { ...claims, 'https://pinecone.io/orgId': 'org' }, 60);
});
after(() => server.server.stop());
beforeEach(() => {
  handled = 0;
  server.denials.length = 0;
  server.engine.calls.length = 0;
  server.principals.apply({ kind: 'service-account', account: ACCOUNT });
  server.principals.apply({ kind: 'binding', binding: owning('OrgOwner') });
});

function owning(role: Role): RoleBinding {
  const principal = { type: 'service_account', id: ACCOUNT.id } as const;
  const grant = { resourceType: 'organization', resourceId: 'org', role } as const;
  return { id: 'owning', organizationId: 'org', principal, ...grant, createdAt: CREATED_AT };
}

/** Announces a body, lets `change` happen, sends the body, and resolves to status and body of the answer. */
async function slowly(port: number, head: string, change: () => void): Promise<readonly unknown[]> {
  const lines = ['host: x', 'connection: close', 'content-type: application/json'];
  const raw = openRaw(
    port,
    [head, ...lines, `content-length: ${BODY.length}`, '', BODY.slice(0, 5)].join('\r\n'),
  );
  await sleep(UNDER_WAY_MS);
  change();
  raw.socket.write(BODY.slice(5));
  const answer = await raw.closed;
  const status = Number(answer.toString().split(' ', 2)[1]);
  return [status, status < 300 ? null : bodyOf(answer)];
}

const adminHead = () => `POST /admin/service-accounts HTTP/1.1\r\nauthorization: Bearer ${token}`;
const keyGone = () =>
  server.principals.apply({ kind: 'principal-gone', principal: { type: 'api_key', id: 'key-a' } });

describe('while a body is coming', () => {
  test('nothing changes for a caller that keeps its rights', async () => {
    assert.deepEqual(await slowly(server.port, adminHead(), () => undefined), [201, null]);
    assert.equal(handled, 1);
  });

  test('a rotated secret ends the call, and the audit log names who tried', async () => {
    const rotate = () =>
      server.principals.apply({ kind: 'service-account', account: { ...ACCOUNT, generation: 2 } });
    assert.deepEqual(await slowly(server.port, adminHead(), rotate), [401, REFUSAL]);
    assert.equal(handled, 0);
    assert.equal(server.denials.at(-1)?.actor.id, ACCOUNT.id);
  });

  test('a role that is taken away ends the call', async () => {
    const demote = () => server.principals.apply({ kind: 'binding', binding: owning('OrgMember') });
    const [status] = await slowly(server.port, adminHead(), demote);
    assert.deepEqual([status, handled], [403, 0]);
  });

  test('a deleted key neither changes the control plane nor writes a record', async () => {
    const data = slowly(server.indexPort, `POST /query HTTP/1.1\r\napi-key: ${KEY_A}`, keyGone);
    const late = slowly(server.port, `POST /things HTTP/1.1\r\napi-key: ${KEY_A}`, () => undefined);
    assert.deepEqual(await Promise.all([data, late]), [
      [401, REFUSAL],
      [401, REFUSAL],
    ]);
    assert.deepEqual(server.engine.calls, []);
  });
});
