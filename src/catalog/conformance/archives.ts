// Conformance of archives, with their indexes, projects and jobs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Archive } from '../../domain/backups/archive.ts';
import type { BackupSchedule } from '../../domain/backups/schedule.ts';
import { newId } from '../../domain/ids.ts';
import type { Index } from '../../domain/index-model.ts';
import type { NewJob } from '../../domain/jobs.ts';
import type { Catalog } from '../port.ts';
import { AdministrationFixture, BY, EARLY, refuses } from './administration-fixture.ts';

export function describeArchives(catalog: () => Catalog, sample: Index): void {
  async function indexIn({ project }: AdministrationFixture, name = 'archived'): Promise<Index> {
    const index = { ...sample, id: newId(), projectId: project.id, name, port: null };
    await catalog().indexes.insert(index);
    return index;
  }

  function archiveOf(source: Index, fields: Partial<Archive> = {}): Archive {
    return {
      id: newId(),
      face: 'backup',
      projectId: source.projectId,
      name: null,
      description: null,
      state: 'Initializing',
      source,
      sourceDeletedAt: null,
      recordCount: 0,
      namespaceCount: 0,
      sizeBytes: 0,
      manifestSha256: null,
      scheduleId: null,
      scheduledAt: null,
      expiresAt: null,
      createdAt: EARLY,
      ...fields,
    };
  }

  function jobOf({ id, projectId, source }: Archive, kind = 'archive'): NewJob {
    return { id: newId(), kind, projectId, indexId: source.id, subject: id, input: null, createdAt: EARLY };
  }

  test('reads an archive back whole with its job, and completes it once', async () => {
    const index = await indexIn(await AdministrationFixture.make(catalog().administration));
    const archive = archiveOf(index, { name: 'n', description: 'd', scheduleId: 's', expiresAt: EARLY });
    await catalog().archives.insert(archive, jobOf(archive));
    assert.deepEqual(await catalog().archives.find(archive.id), archive);
    assert.equal((await catalog().jobs.active({ subject: archive.id })).length, 1);
    const fields = { recordCount: 1, namespaceCount: 2, sizeBytes: 3, manifestSha256: 'aa' };
    assert.equal(await catalog().archives.complete(archive.id, fields), true);
    assert.equal(await catalog().archives.complete(archive.id, fields), false);
    await catalog().archives.fail(archive.id);
    assert.deepEqual(await catalog().archives.find(archive.id), { ...archive, ...fields, state: 'Ready' });
  });

  test('refuses archives of an index that is being deleted, and gives a collection name once', async () => {
    const index = await indexIn(await AdministrationFixture.make(catalog().administration));
    const attempts = Array.from({ length: 5 }, () => archiveOf(index, { face: 'collection', name: 'c' }));
    const outcomes = await Promise.allSettled(
      attempts.map((each) => catalog().archives.insert(each, jobOf(each))),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    await refuses(
      catalog().indexes.retire(index.id, () => true),
      'pending-collections',
    );
    const made = await catalog().archives.findCollection(index.projectId, 'c');
    await catalog().archives.fail(made?.id ?? '');
    await catalog().indexes.retire(index.id, () => true);
    assert.notEqual((await catalog().archives.find(made?.id ?? ''))?.sourceDeletedAt, null);
    const late = archiveOf(index);
    await refuses(catalog().archives.insert(late, jobOf(late)), 'index-not-found');
    assert.deepEqual(await catalog().jobs.active({ subject: late.id }), []);
  });

  test('counts the jobs of one project by kind and state', async () => {
    const fixture = await AdministrationFixture.make(catalog().administration);
    const index = await indexIn(fixture);
    const foreign = await indexIn(await AdministrationFixture.make(catalog().administration));
    const [ending, ...waiting] = [archiveOf(index), archiveOf(index), archiveOf(index)];
    await catalog().archives.insert(ending, jobOf(ending, 'ending'));
    for (const each of [...waiting, archiveOf(foreign)])
      await catalog().archives.insert(each, jobOf(each, 'waiting'));
    const claim = { owner: 'me', kinds: ['ending'], now: EARLY, leaseUntil: '2999-01-01' };
    const claimed = await catalog().jobs.claim(claim);
    await catalog().jobs.release(claimed?.id ?? '', 'me', { kind: 'completed' }, EARLY);
    assert.deepEqual(await catalog().jobs.counts(fixture.project.id), [
      { projectId: fixture.project.id, kind: 'ending', state: 'Completed', jobs: 1 },
      { projectId: fixture.project.id, kind: 'waiting', state: 'Pending', jobs: 2 },
    ]);
    const all = await catalog().jobs.counts(null);
    assert.ok(new Set(all.map(({ projectId }) => projectId)).size > 1);
  });

  test('refuses to remove a backup during a restore, and to restore a removed one', async () => {
    const index = await indexIn(await AdministrationFixture.make(catalog().administration));
    const archive = archiveOf(index, { state: 'Ready' });
    await catalog().archives.insert(archive, jobOf(archive));
    const restore = await catalog().archives.beginRestore(archive.id, jobOf(archive, 'restore'));
    const removal = jobOf(archive, 'archive-removal');
    await refuses(catalog().archives.beginRemoval(archive, removal), 'pending-restore-jobs');
    const claim = { owner: 'me', kinds: ['restore'], now: EARLY, leaseUntil: '2999-01-01' };
    assert.equal((await catalog().jobs.claim(claim))?.id, restore.id);
    await catalog().jobs.release(restore.id, 'me', { kind: 'completed' }, EARLY);
    await catalog().archives.beginRemoval(archive, removal);
    await refuses(catalog().archives.beginRestore(archive.id, jobOf(archive, 'restore')), 'backup-not-ready');
  });

  test('tells when the newest whole backup of each index was made, without those that are damaged', async () => {
    const fixture = await AdministrationFixture.make(catalog().administration);
    const [first, second] = [await indexIn(fixture), await indexIn(fixture, 'archived-too')];
    const add = async (source: Index, day: number, fields: Partial<Archive> = {}) => {
      const createdAt = new Date(Date.parse(EARLY) + day * 86_400_000).toISOString();
      const archive = archiveOf(source, { state: 'Ready', createdAt, ...fields });
      await catalog().archives.insert(archive, jobOf(archive));
      return archive;
    };
    const whole = await add(first, 0);
    const newest = await add(first, 1);
    await add(first, 2, { state: 'Failed' });
    await add(first, 3, { face: 'collection', name: 'c' });
    const only = await add(second, 0);
    const told = async (damaged: readonly string[]) => {
      const all = await catalog().archives.newestBackups(damaged);
      return [first, second].map(({ id }) => all.find(({ indexId }) => indexId === id)?.createdAt ?? null);
    };
    assert.deepEqual(await told([]), [newest.createdAt, only.createdAt]);
    assert.deepEqual(await told([newest.id]), [whole.createdAt, only.createdAt]);
    assert.deepEqual(await told([newest.id, only.id, 'another']), [whole.createdAt, null]);
  });

  test('keeps the newest whole backup of an enabled schedule beyond its expiry until a newer one is whole', async () => {
    const index = await indexIn(await AdministrationFixture.make(catalog().administration));
    const schedule: BackupSchedule = {
      ...{ id: newId(), projectId: index.projectId, indexId: index.id, name: 'nightly' },
      ...{ frequency: 'daily', retentionDays: 1, enabled: true, anchorAt: EARLY, nextRunAt: EARLY },
      createdAt: EARLY,
    };
    await catalog().schedules.insert({ schedule, planned: null });
    const add = async (day: number, fields: Partial<Archive>) => {
      const createdAt = new Date(Date.parse(EARLY) + day * 86_400_000).toISOString();
      const archive = archiveOf(index, {
        createdAt,
        expiresAt: createdAt,
        scheduleId: schedule.id,
        ...fields,
      });
      await catalog().archives.insert(archive, jobOf(archive));
      return archive.id;
    };
    const expired = async (damaged: readonly string[] = []) => {
      const archives = await catalog().archives.expired('2999-01-01T00:00:00.000Z', damaged);
      return archives.filter(({ source }) => source.id === index.id).map(({ id }) => id);
    };
    const first = await add(0, { state: 'Ready' });
    const second = await add(1, { state: 'Ready' });
    const failed = await add(2, { state: 'Failed' });
    const byHand = await add(3, { state: 'Ready', scheduleId: null });
    const running = await add(4, { state: 'Initializing' });
    assert.deepEqual(await expired(), [first, failed, byHand]);
    assert.deepEqual(await expired([second]), [failed, byHand], 'a damaged one does not count as newer');
    assert.deepEqual(await expired([first]), [first, failed, byHand]);
    const ref = { id: schedule.id, projectId: schedule.projectId };
    await catalog().schedules.update(ref, (each) => ({
      schedule: { ...each, enabled: false },
      planned: null,
    }));
    assert.deepEqual((await expired()).toSorted(), [first, second, failed, byHand].toSorted());
    await catalog().schedules.update(ref, (each) => ({
      schedule: { ...each, enabled: true },
      planned: null,
    }));
    const figures = { recordCount: 1, namespaceCount: 2, sizeBytes: 3, manifestSha256: 'aa' };
    await catalog().archives.complete(running, figures);
    assert.deepEqual((await expired()).toSorted(), [first, second, failed, byHand].toSorted());
    await catalog().archives.remove(second);
    await catalog().indexes.retire(index.id, () => true);
    assert.ok((await expired()).includes(running));
  });

  test('refuses to delete a project with archives, and deletes it and its organization once they are being deleted', async () => {
    const fixture = await AdministrationFixture.make(catalog().administration);
    const index = await indexIn(fixture);
    const archive = archiveOf(index, { state: 'Ready' });
    await catalog().archives.insert(archive, jobOf(archive));
    await catalog().indexes.delete(index.id);
    const remove = () => catalog().administration.projects.delete(fixture.ref(fixture.project.id), BY);
    await refuses(remove(), 'project-not-empty');
    await catalog().archives.beginRemoval(archive, jobOf(archive, 'archive-removal'));
    await remove();
    const { administration } = catalog();
    const before = await administration.projects.purge();
    // Nothing visible prevents the deletion of the organization either.
    await administration.organizations.delete(fixture.organizationId, BY);
    assert.equal(await administration.organizations.find(fixture.organizationId), null);
    await refuses(
      administration.organizations.rename(fixture.organizationId, 'Back', BY),
      'organization-not-found',
    );
    await refuses(administration.organizations.delete(fixture.organizationId, BY), 'organization-not-found');
    await refuses(administration.projects.create(fixture.newProject(), BY), 'organization-not-found');
    await refuses(fixture.invite('late@example.org', 'OrgMember'), 'organization-not-found');
    const signIn = administration.identities.signIn({
      ...{ issuer: 'https://provider.example', subject: 'late', email: 'late@example.org', name: null },
      ...{ organizationId: fixture.organizationId, isAdmitted: true, acceptsInvite: true, requestId: null },
      ...{ grants: [fixture.grant('OrgMember')], at: EARLY },
    });
    await refuses(signIn, 'sign-in-refused');
    assert.equal(await administration.projects.purge(), before);
    await catalog().archives.remove(archive.id);
    assert.equal(await administration.projects.purge(), before - 1);
  });
}
