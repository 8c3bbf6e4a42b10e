// The principals in memory agree with the catalog after any change, and leak nothing through timing.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { AdministrationStore, Catalog } from '../../catalog/port.ts';
import { SYSTEM } from '../../domain/administration/audit.ts';
import { digestOf, matchesDigest, newApiKey } from '../../domain/administration/credentials.ts';
import { API_KEY_ROLES, ORGANIZATION_ROLES, PROJECT_ROLES } from '../../domain/administration/roles.ts';
import { Fault } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import { effort } from '../../engine/embedded/testing/effort.ts';
import { memoryCatalog } from '../../http/testing/fakes.ts';
import { Principals } from './principals.ts';

const AT = '2026-01-01T00:00:00.000Z';
const LATE = '2999-01-01T00:00:00.000Z';
const FIELDS = { name: 'n', maxPods: 0, forceEncryptionWithCmek: false, createdAt: AT };

let catalog: Catalog;
let store: AdministrationStore;
before(async () => {
  catalog = await memoryCatalog();
  store = catalog.administration;
});
after(() => catalog.close());

/** Everything that the random steps have created; ids of deleted resources stay, so that they are tried again. */
class Walk {
  readonly organizationId = newId();
  readonly projects: string[] = [];
  readonly keys: { id: string; value: string }[] = [];
  readonly accounts: string[] = [];
  readonly users: string[] = [];

  readonly steps: readonly ((pick: number) => Promise<unknown>)[] = [
    async () => {
      const id = newId();
      await store.projects.create({ ...FIELDS, id, organizationId: this.organizationId }, SYSTEM);
      this.projects.push(id);
    },
    (pick) => store.projects.delete(this.#ref(this.projects, pick), SYSTEM),
    async (pick) => {
      const { id: projectId } = this.#ref(this.projects, pick);
      const roles = API_KEY_ROLES.filter((_, at) => (pick >> at) % 2 === 1);
      const { value, label, sha256 } = newApiKey();
      const key = { id: newId(), organizationId: this.organizationId, projectId, name: 'k', createdAt: AT };
      await store.apiKeys.create({ ...key, roles, label, sha256 }, SYSTEM);
      this.keys.push({ id: key.id, value });
    },
    (pick) => {
      const roles = API_KEY_ROLES.filter((_, at) => (pick >> at) % 2 === 0);
      return store.apiKeys.update(this.#key(pick), { roles }, SYSTEM);
    },
    (pick) => store.apiKeys.delete(this.#key(pick), SYSTEM),
    async (pick) => {
      const account = {
        id: newId(),
        organizationId: this.organizationId,
        name: 'a',
        createdAt: AT,
        updatedAt: AT,
      };
      const credential = { clientId: account.id, secretSha256: digestOf('secret') };
      const role = ORGANIZATION_ROLES[pick % ORGANIZATION_ROLES.length] ?? 'OrgMember';
      const grant = { resourceType: 'organization', resourceId: this.organizationId, role } as const;
      await store.serviceAccounts.create({ ...account, ...credential }, [grant], SYSTEM);
      this.accounts.push(account.id);
    },
    (pick) =>
      store.serviceAccounts.rotateSecret(this.#ref(this.accounts, pick), digestOf(String(pick)), SYSTEM),
    (pick) => store.serviceAccounts.delete(this.#ref(this.accounts, pick), SYSTEM),
    (pick) => {
      const principal = { type: 'service_account', id: this.#ref(this.accounts, pick).id } as const;
      const role = PROJECT_ROLES[pick % PROJECT_ROLES.length] ?? 'ProjectViewer';
      const { id: resourceId } = this.#ref(this.projects, pick);
      const fields = { id: newId(), organizationId: this.organizationId, createdAt: AT };
      return store.roleBindings.create(
        { ...fields, principal, resourceType: 'project', resourceId, role },
        SYSTEM,
      );
    },
    async (pick) => {
      const { items } = await store.roleBindings.list(this.organizationId, {
        limit: 100,
        after: null,
        visible: 'all',
      });
      const binding = items[pick % Math.max(1, items.length)];
      if (binding !== undefined) await store.roleBindings.delete(binding, SYSTEM);
    },
    async (pick) => {
      const invite = { id: newId(), organizationId: this.organizationId, createdAt: AT, expiresAt: LATE };
      const role = ORGANIZATION_ROLES[pick % ORGANIZATION_ROLES.length] ?? 'OrgMember';
      const grant = { resourceType: 'organization', resourceId: this.organizationId, role } as const;
      await store.invites.create(
        { ...invite, email: `${pick % 20}@${invite.organizationId}.org` },
        [grant],
        SYSTEM,
      );
      const link = { linkNumber: 1, at: AT, name: null, requestId: null };
      this.users.push((await store.invites.accept(invite, link)).id);
    },
    (pick) => store.users.remove(this.#ref(this.users, pick), SYSTEM),
  ];

  #ref(ids: readonly string[], pick: number) {
    return { organizationId: this.organizationId, id: ids[pick % Math.max(1, ids.length)] ?? 'none' };
  }

  #key(pick: number) {
    const ids = this.keys.map(({ id }) => id);
    return this.#ref(ids, pick);
  }
}

/** All answers about the resources of a test run. */
function answersOf(principals: Principals, { organizationId, projects, keys, accounts, users }: Walk) {
  const rights = (type: 'service_account' | 'user', id: string) =>
    principals.rights(organizationId, { type, id });
  return {
    keys: keys.map(({ id, value }) => [principals.keyHolder(id), principals.authenticateKey(value)]),
    projects: projects.map((id) => principals.project(id)),
    accounts: accounts.map((id) => [
      principals.serviceAccount(id),
      principals.serviceAccountByClient(id),
      rights('service_account', id),
    ]),
    users: users.map((id) => [principals.user(id), rights('user', id)]),
  };
}

test('answers the same after following every change, after reloads and after a fresh start, and recognizes stale answers', async () => {
  const following = await Principals.follow(store.access);
  const reloading = new Principals();
  const step = fc.tuple(fc.nat(11), fc.nat(1_000));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const walk = new Walk();
      await store.organizations.create({ id: walk.organizationId, name: 'o', createdAt: AT }, SYSTEM);
      for (const [kind, pick] of steps) {
        // Queries in between fill the caches that a change must clear.
        answersOf(following, walk);
        const held = walk.keys.map(({ value }) => ({ value, holder: following.authenticateKey(value) }));
        await walk.steps[kind]?.(pick).catch((error) => assert.ok(error instanceof Fault, String(error)));
        for (const { value, holder } of held) {
          if (holder === undefined) continue;
          assert.equal(following.isCurrent(holder), following.authenticateKey(value) === holder);
        }
        answersOf(reloading, walk);
        if (pick % 3 === 0) reloading.load(await store.access.snapshot());
      }
      reloading.load(await store.access.snapshot());
      const fresh = new Principals();
      fresh.load(await store.access.snapshot());
      assert.deepEqual(answersOf(following, walk), answersOf(fresh, walk));
      assert.deepEqual(answersOf(reloading, walk), answersOf(fresh, walk));
      // What did not change keeps its holder, so requests under way go on.
      const held = walk.keys.map(({ value }) => reloading.authenticateKey(value));
      reloading.load(await store.access.snapshot());
      for (const holder of held) if (holder !== undefined) assert.ok(reloading.isCurrent(holder));
    }),
    { seed: 20_260_101, numRuns: 30 },
  );
});

test('compares a client secret by its digest, in constant time', (context) => {
  const compare = context.mock.method(crypto, 'timingSafeEqual');
  context.after(() => {
    compare.mock.restore();
    syncBuiltinESMExports();
  });
  syncBuiltinESMExports();
  const secret = 'S'.repeat(64);
  const wrong = [0, 32, 63].map((right) => `${'S'.repeat(right)}${'x'.repeat(64 - right)}`);
  assert.deepEqual(
    [secret, ...wrong, ''].map((each) => matchesDigest(each, digestOf(secret))),
    [true, false, false, false, false],
  );
  const lengths = compare.mock.calls.map(({ arguments: [one, other] }) => [one.byteLength, other.byteLength]);
  assert.deepEqual(lengths, Array(5).fill([32, 32]));
});

/** Measured in the long form alone: on a busy machine the clock tells of others. */
const MEASURED = effort({ daily: false, long: true });
if (MEASURED)
  test('has projects in the order of a snapshot, in whatever order it has heard of them', () => {
    const principals = new Principals();
    const [a, b, c] = ['c', 'a', 'b'].map((id) => ({ id, organizationId: 'o', name: id }));
    assert.ok(a && b && c);
    const fields = { keys: [], serviceAccounts: [], users: [], bindings: [] };
    principals.load({ ...fields, projects: [a, c] });
    principals.load({ ...fields, projects: [a, b, c] });
    assert.deepEqual(principals.projectsOf('o'), [a, b, c]);
    principals.load({ ...fields, projects: [b, { ...c, name: 'new' }] });
    assert.deepEqual(principals.projectsOf('o'), [b, { ...c, name: 'new' }]);
  });

describe('time', () => {
  /** Nanoseconds of a hundred calls, medians of many turns, one kind after the other in each turn. */
  function medians(kinds: readonly (() => unknown)[]): readonly number[] {
    const turns = kinds.map((): number[] => []);
    for (let turn = 0; turn < 400; turn += 1) {
      for (const [at, call] of kinds.entries()) {
        const start = process.hrtime.bigint();
        for (let each = 0; each < 100; each += 1) call();
        turns[at]?.push(Number(process.hrtime.bigint() - start));
      }
    }
    return turns.map((values) => values.sort((one, other) => one - other)[200] ?? Number.NaN);
  }

  function areAlike(values: readonly number[]): void {
    const ratio = Math.max(...values) / Math.min(...values);
    assert.ok(ratio < 1.5, `ratio ${ratio.toFixed(2)} between ${values.join(', ')}`);
  }

  test('refuses a wrong key in the same time, however much of it is right', () => {
    const principals = new Principals();
    const { value, sha256 } = newApiKey();
    const fields = { serviceAccounts: [], users: [], bindings: [] };
    const projects = [{ id: 'p', organizationId: 'o', name: 'p' }];
    principals.load({ ...fields, projects, keys: [{ id: 'k', projectId: 'p', sha256 }] });
    assert.notEqual(principals.authenticateKey(value), undefined);
    const wrongFrom = (right: number) => `${value.slice(0, right)}${'x'.repeat(value.length - right - 1)}-`;
    const wrong = [0, 12, value.length - 1].map(wrongFrom);
    areAlike(medians(wrong.map((key) => () => assert.equal(principals.authenticateKey(key), undefined))));
  });

  test('refuses a wrong client secret in the same time, however much of it is right', () => {
    const secret = 'S'.repeat(64);
    const digest = digestOf(secret);
    const wrong = [0, 32, 63].map((right) => `${'S'.repeat(right)}${'x'.repeat(64 - right)}`);
    areAlike(medians(wrong.map((each) => () => assert.equal(matchesDigest(each, digest), false))));
  });
});
