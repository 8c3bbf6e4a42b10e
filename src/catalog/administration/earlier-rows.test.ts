// Rows of earlier releases, which this one does not make any more, open no account of another person.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonText } from '../../domain/json.ts';
import { AdministrationFixture, BY, EARLY, LATE, refuses } from '../conformance/administration-fixture.ts';
import { openSqlite } from '../sqlite/open-catalog.ts';
import { sqlAdministration } from './sql-administration.ts';

const EMAIL = 'ada@example.org';

async function earlier() {
  const db = await openSqlite({ path: ':memory:' });
  const here = await AdministrationFixture.make(sqlAdministration(db, { listen: () => undefined }));
  return { db, here, user: await here.user(EMAIL, 'OrgOwner') };
}

test('refuses the link of an open invite to the address of a member', async () => {
  const { db, here, user } = await earlier();
  const invite = { id: 'old', organization_id: here.organizationId, email: EMAIL, email_key: EMAIL };
  const times = { expires_at: LATE, processed_at: null, created_at: EARLY };
  await db
    .insertInto('invites')
    .values({ ...invite, ...times, link_number: 1 })
    .execute();
  const { users } = await here.store.access.snapshot();
  await refuses(here.accept({ id: 'old', linkNumber: 1 }), 'already-member');
  assert.deepEqual((await here.store.access.snapshot()).users, users, 'sessions of the member');
  await here.store.invites.delete(here.ref('old'), BY);
  assert.equal((await here.bindings(user.id)).length, 1);
  await db.destroy();
});

test('refuses the identity of a removed person whose account has another holder', async () => {
  const { db, here, user } = await earlier();
  const identity = { issuer: 'https://login.example.org', subject: 'former' };
  const times = { removed_at: EARLY, created_at: EARLY, signed_in_at: EARLY };
  await db
    .insertInto('identities')
    .values({
      ...{ ...identity, organization_id: here.organizationId, user_id: user.id },
      ...{ granted: jsonText([]), ...times },
    })
    .execute();
  const { organizationId } = here;
  const signIn = { ...identity, organizationId, email: EMAIL, name: null, at: EARLY, requestId: null };
  await refuses(
    here.store.identities.signIn({ ...signIn, isAdmitted: true, acceptsInvite: true, grants: [] }),
    'sign-in-refused',
  );
  await db.destroy();
});
