// Sessions of the console at several nodes: each node knows what the others have opened and ended.
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { SessionRow, SessionStore } from '../../catalog/port.ts';
import { ConsoleSessions } from './console-sessions.ts';
import { Principals } from './principals.ts';
import { SharedSessions } from './shared-sessions.ts';
import { KEY, loadOneKey } from './testing/one-key.ts';

const HOST = 'localhost:1';
const MINUTE_MS = 60_000;

describe('shared sessions', () => {
  const rows = new Map<string, SessionRow>();
  const store: SessionStore = {
    list: async () => [...rows.values()].sort((a, b) => a.lastUsedAt - b.lastUsedAt),
    save: async ({ opened, used, ended }) => {
      for (const row of opened) rows.set(row.cookieSha256, row);
      for (const { cookieSha256, lastUsedAt } of used) {
        const row = rows.get(cookieSha256);
        if (row !== undefined) rows.set(cookieSha256, { ...row, lastUsedAt });
      }
      for (const key of ended) rows.delete(key);
    },
  };
  const principals = new Principals();
  let now = Date.now();
  beforeEach(() => {
    rows.clear();
    loadOneKey(principals);
  });

  function node() {
    const sessions: ConsoleSessions = new ConsoleSessions(principals, {
      now: () => now,
      onChange: () => shared.changed(),
      saved: () => shared.saved(),
    });
    const onFailure = (error: unknown) => assert.fail(String(error));
    const shared = new SharedSessions({ store, sessions: () => sessions, onFailure });
    return { sessions, shared };
  }

  it('opens and ends sessions at every node', async () => {
    const [one, two] = [node(), node()];
    const secrets = one.sessions.open({ principal: KEY, organizationId: 'org' }, HOST);
    await one.sessions.saved();
    assert.equal(two.sessions.find(secrets, HOST), undefined);
    await two.shared.refresh();
    assert.equal(two.sessions.find(secrets, HOST)?.principal.id, 'key');
    assert.ok([...rows.values()].every((row) => !JSON.stringify(row).includes(secrets.token)));
    two.sessions.end(secrets.cookie);
    await two.sessions.saved();
    await one.shared.refresh();
    assert.equal(one.sessions.find(secrets, HOST), undefined);
    assert.equal(rows.size, 0);
  });

  it('keeps what it opens and ends while it reads', async () => {
    const [one, two] = [node(), node()];
    const ended = one.sessions.open({ principal: KEY, organizationId: 'org' }, HOST);
    const kept = one.sessions.open({ principal: KEY, organizationId: 'org' }, HOST);
    await one.sessions.saved();
    await two.shared.refresh();
    const reading = two.shared.refresh();
    two.sessions.end(ended.cookie);
    const opened = two.sessions.open({ principal: KEY, organizationId: 'org' }, HOST);
    await reading;
    await two.sessions.saved();
    await one.shared.refresh();
    for (const { sessions } of [one, two])
      assert.deepEqual(
        [ended, kept, opened].map((secrets) => sessions.find(secrets, HOST) !== undefined),
        [false, true, true],
      );
  });

  it('keeps a session alive that is used at one node only', async () => {
    const [one, two] = [node(), node()];
    const secrets = one.sessions.open({ principal: KEY, organizationId: 'org' }, HOST);
    await one.sessions.saved();
    for (let minute = 0; minute < 60; minute += 2) {
      now += 2 * MINUTE_MS;
      assert.ok(one.sessions.find(secrets, HOST), `after ${minute} minutes`);
      await one.sessions.saved();
    }
    await two.shared.refresh();
    assert.ok(two.sessions.has(secrets.cookie));
  });
});
