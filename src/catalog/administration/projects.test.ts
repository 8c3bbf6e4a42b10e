// Guarantee: whatever a change that raced with a deletion has left does not keep deleted organizations from being purged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../domain/ids.ts';
import { AdministrationFixture, BY, EARLY } from '../conformance/administration-fixture.ts';
import { SqlCatalog } from '../sql-catalog.ts';
import { openSqlite } from '../sqlite/open-catalog.ts';

test('purges deleted organizations with what others have left in them, and nothing of living ones', async (context) => {
  const db = await openSqlite({ path: ':memory:' });
  const catalog = new SqlCatalog(db);
  context.after(() => catalog.close());
  const { administration } = catalog;
  const gone = await AdministrationFixture.make(administration);
  const living = await AdministrationFixture.make(administration);
  await living.account('OrgOwner');
  await living.invite('ada@example.org', 'OrgMember');
  await administration.projects.delete(gone.ref(gone.project.id), BY);
  const { organizationId: organization_id } = gone;
  await db
    .updateTable('organizations')
    .set({ deleted_at: EARLY })
    .where('id', '=', organization_id)
    .execute();
  const ids = { id: newId(), organization_id, created_at: EARLY };
  await db
    .insertInto('invites')
    .values({
      ...ids,
      ...{ email: 'b@example.org', email_key: 'b@example.org', expires_at: EARLY },
      ...{ processed_at: null, link_number: 1 },
    })
    .execute();
  await db
    .insertInto('role_bindings')
    .values({
      ...ids,
      ...{ principal_type: 'invite', principal_id: ids.id, role: 'OrgMember' },
      ...{ resource_type: 'organization', resource_id: organization_id },
    })
    .execute();
  assert.equal(await administration.projects.purge(), 0);
  const left = await db.selectFrom('organizations').select('id').execute();
  assert.ok(left.some(({ id }) => id === living.organizationId));
  assert.ok(!left.some(({ id }) => id === organization_id));
  assert.equal((await living.bindings()).length, 2);
});
