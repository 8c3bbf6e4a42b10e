// Guarantees of the endpoints for the log level: owners of the server's own organization change it, and it is audited.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AdminSurface, organizationRole } from '../testing/admin-client.ts';
import { listAuditEntries } from './list-audit-entries.ts';
import { describeLogLevel, setLogLevel } from './log-level.ts';

describe('endpoints for the log level', () => {
  let surface: AdminSurface;
  before(async () => {
    surface = await AdminSurface.make();
  });
  after(() => surface.dispose());

  it('set it at once, tell what holds after a restart, and audit it', async () => {
    assert.deepEqual(await surface.body(describeLogLevel), { level: 'info', configured: 'info' });
    const debug = { level: 'debug', configured: 'info' };
    assert.deepEqual(await surface.body(setLogLevel, { body: { level: 'debug' } }), debug);
    assert.deepEqual(await surface.body(describeLogLevel), debug);
    const query = { action: 'server.set_log_level' };
    const { data } = await surface.body<{ data: { details: object }[] }>(listAuditEntries, { query });
    assert.deepEqual(
      data.map(({ details }) => details),
      [{ level: 'debug' }],
    );
  });

  it('refuse what is no level, and change nothing', async () => {
    const before = await surface.body(describeLogLevel);
    for (const body of [{}, { level: 'loud' }, { level: 3 }, { level: null }]) {
      await surface.refuses(setLogLevel, { body }, 'invalid-argument');
    }
    assert.deepEqual(await surface.body(describeLogLevel), before);
  });

  it('refuse owners of other organizations, whose lines are not alone in the log', async () => {
    const as = surface.foreigner;
    await surface.refuses(describeLogLevel, { as }, 'access-forbidden');
    await surface.refuses(setLogLevel, { as, body: { level: 'silent' } }, 'access-forbidden');
  });

  it('refuse everyone but owners', async () => {
    const as = await surface.someone(organizationRole(surface.owner.organizationId, 'OrgManager'));
    await surface.refuses(setLogLevel, { as, body: { level: 'silent' } }, 'access-forbidden');
  });
});
