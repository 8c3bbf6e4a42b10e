// Sessions of the console outlive a restart, and what is kept of them opens nothing.
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { SESSION_IDLE_SECONDS } from '../../domain/administration/limits.ts';
import { ConsoleSessions } from './console-sessions.ts';
import { readKeptSessions, SessionKeeper } from './kept-sessions.ts';
import { Principals } from './principals.ts';
import { KEY, loadOneKey } from './testing/one-key.ts';

const HOST = 'localhost:1';

describe('kept sessions', () => {
  const settings = new Map<string, string>();
  const store = {
    get: async (name: string) => settings.get(name) ?? null,
    set: async (name: string, value: string) => {
      settings.set(name, value);
    },
  };
  const principals = new Principals();
  let now = Date.now();
  beforeEach(() => {
    settings.clear();
    loadOneKey(principals);
  });

  /** A process with its sessions, and its orderly end. */
  async function start() {
    const kept = await readKeptSessions(store);
    const sessions: ConsoleSessions = new ConsoleSessions(principals, {
      now: () => now,
      kept,
      onChange: () => keeper.changed(),
      saved: () => keeper.saved(),
    });
    const keeper = new SessionKeeper({
      settings: store,
      list: () => sessions.list(),
      onFailure: (error) => assert.fail(String(error)),
    });
    return { sessions, stop: () => keeper.close() };
  }

  it('open what they opened before the restart, until their time is over', async () => {
    const first = await start();
    const secrets = first.sessions.open({ principal: KEY, organizationId: 'org' }, HOST);
    await first.stop();
    const second = await start();
    assert.equal(second.sessions.find(secrets, HOST)?.session.user, 'key');
    assert.equal(second.sessions.find({ ...secrets, token: 'x' }, HOST), undefined);
    now += SESSION_IDLE_SECONDS * 1_000;
    await second.stop();
    assert.equal((await start()).sessions.find(secrets, HOST), undefined);
  });

  it('are opened and ended for good when the answer is sent, also before a crash', async () => {
    const { sessions } = await start();
    const left = sessions.open({ principal: KEY, organizationId: 'org' }, HOST);
    const ended = sessions.open({ principal: KEY, organizationId: 'org' }, HOST);
    await sessions.saved();
    sessions.end(ended.cookie);
    await sessions.saved();
    const afterCrash = (await start()).sessions;
    assert.notEqual(afterCrash.find(left, HOST), undefined);
    assert.equal(afterCrash.find(ended, HOST), undefined);
  });

  it('hold no secret', async () => {
    const { sessions, stop } = await start();
    const { cookie, token } = sessions.open({ principal: KEY, organizationId: 'org' }, HOST);
    await stop();
    const text = [...settings.values()].join();
    assert.ok(!text.includes(cookie) && !text.includes(token));
  });

  it('end with a sign-out and with the key, restart or not', async () => {
    const first = await start();
    const ended = first.sessions.open({ principal: KEY, organizationId: 'org' }, HOST);
    const other = first.sessions.open({ principal: KEY, organizationId: 'org' }, HOST);
    first.sessions.end(ended.cookie);
    await first.stop();
    const second = await start();
    assert.equal(second.sessions.find(ended, HOST), undefined);
    principals.apply({ kind: 'principal-gone', principal: KEY });
    assert.equal(second.sessions.find(other, HOST), undefined);
  });

  it('are none where what was kept is damaged', async () => {
    for (const text of ['{', '{"a":1}', '[1,null,{"host":"x"}]']) {
      settings.set('console-sessions', text);
      assert.deepEqual(await readKeptSessions(store), []);
    }
  });
});
