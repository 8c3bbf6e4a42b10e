// Guarantees of the background reading of archives: damage is found and told, and nothing else is called damage.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type Blobs, BlobsUnavailable } from '../../blobs/port.ts';
import type { Archive } from '../../catalog/port.ts';
import { manifestKey, partKey } from '../backups/archive-format.ts';
import { damagedArchives, newestWholeBackups } from '../backups/damaged-archives.ts';
import { BackupFixture, NO_LABELS } from '../backups/testing/backup-fixture.ts';
import { eventually, OWNER, STRANGER } from '../indexes/testing/control-plane.ts';
import { ArchiveScrubber } from './archive-scrubber.ts';

const DAY_MS = 86_400_000;
const FAST = 1e12;

describe('the background reading of archives', () => {
  let fixture: BackupFixture;
  let now: Date;
  let found: [string, string][];
  let unread: string[];
  const scrubbers: ArchiveScrubber[] = [];

  beforeEach(async () => {
    fixture = await BackupFixture.make();
    now = new Date('2026-01-31T10:00:00.000Z');
    found = [];
    unread = [];
  });

  afterEach(async () => {
    for (const scrubber of scrubbers.splice(0)) await scrubber.close();
    await fixture.dispose();
  });

  /** As after a start of the server. */
  function scrubberOn(blobs: Pick<Blobs, 'get'> = fixture.host.folder): ArchiveScrubber {
    const scrubber = new ArchiveScrubber({
      catalog: fixture.host.plane.catalog,
      blobs,
      bytesPerSecond: FAST,
      onDamage: ({ id }, problem) => found.push([id, problem]),
      onUnread: ({ id }) => unread.push(id),
      onFailure: (error) => assert.fail(String(error)),
      now: () => now,
    });
    scrubbers.push(scrubber);
    return scrubber;
  }

  async function contentOf(key: string): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync(fixture.host.folder.get(key)));
  }

  async function flipByte({ id }: Archive): Promise<void> {
    const content = await contentOf(partKey(id, 0));
    content[100] = (content[100] ?? 0) ^ 1;
    await fixture.host.folder.put(partKey(id, 0), pieces(content));
  }

  test('finds a changed byte, a short part, a missing part and a missing manifest, and leaves whole archives alone', async () => {
    const { folder } = fixture.host;
    const [whole, changed, short, partless, headless] = [
      await fixture.readyBackup(),
      await fixture.readyBackup(),
      await fixture.readyBackup(),
      await fixture.readyBackup(),
      await fixture.readyBackup(),
    ];
    await flipByte(changed);
    await folder.put(partKey(short.id, 0), pieces((await contentOf(partKey(short.id, 0))).subarray(0, -3)));
    await folder.delete(partKey(partless.id, 0));
    await folder.delete(manifestKey(headless.id));
    const scrubber = scrubberOn();
    await scrubber.look();
    assert.deepEqual(
      new Map(found),
      new Map([
        [changed.id, 'its content is not the one written'],
        [short.id, 'a part has another size than it had'],
        [partless.id, 'a part is missing'],
        [headless.id, 'its manifest is missing'],
      ]),
    );
    assert.deepEqual(unread, []);
    assert.ok((await scrubber.progress()).bytes > 3 * whole.sizeBytes);
    assert.equal((await scrubber.progress()).finishedAt, now.getTime() / 1_000);
  });

  test('tells damage where the backup is described and where those of its project are counted, until it is deleted', async () => {
    const backup = await fixture.readyBackup();
    const { backups } = fixture.server;
    await scrubberOn().look();
    assert.equal(await backups.problemOf(backup), null);
    await flipByte(backup);
    now = new Date(now.getTime() + 7 * DAY_MS);
    await scrubberOn().look();
    assert.match((await backups.problemOf(backup)) ?? '', /^The backup is damaged: its content/);
    const { catalog } = fixture.host.plane;
    const idsOf = async (projectId: string | null) =>
      (await damagedArchives(catalog, projectId)).map(({ archive }) => archive.id);
    assert.deepEqual(await idsOf(OWNER.projectId), [backup.id]);
    assert.deepEqual(await idsOf(null), [backup.id]);
    assert.deepEqual(await idsOf(STRANGER.projectId), []);
    assert.deepEqual(await newestWholeBackups(catalog), []);
    const { createdAt, source } = await fixture.readyBackup();
    assert.deepEqual(await newestWholeBackups(catalog), [{ indexId: source.id, createdAt }]);
    await backups.remove(OWNER, backup.id);
    assert.deepEqual(await idsOf(null), []);
  });

  test('resumes after the archive that it read last, reads new ones at once and all of them again after a week', async () => {
    const first = await fixture.readyBackup();
    await flipByte(first);
    await scrubberOn().look();
    assert.equal(found.length, 1);
    const restarted = scrubberOn();
    await restarted.look();
    assert.equal((await restarted.progress()).bytes, 0);

    const second = await fixture.readyBackup();
    await restarted.look();
    const { bytes } = await restarted.progress();
    assert.ok(bytes >= second.sizeBytes && bytes < 2 * second.sizeBytes);

    // Mended: a copy of its part was put back.
    await flipByte(first);
    now = new Date(now.getTime() + 7 * DAY_MS);
    await restarted.look();
    assert.equal(await fixture.server.backups.problemOf(first), null);
    assert.equal(found.length, 1);
  });

  test('reads nothing of an archive that is being made, and comes back to it', async () => {
    const hold = fixture.holdAt('export-piece');
    const { id } = await fixture.server.backups.create(OWNER, 'books', NO_LABELS);
    await hold.reached;
    const scrubber = scrubberOn();
    await scrubber.look();
    assert.deepEqual(await scrubber.progress(), { bytes: 0, finishedAt: null });
    hold.release();
    await flipByte(await fixture.settled(id));
    await scrubber.look();
    assert.deepEqual(
      found.map(([damaged]) => damaged),
      [id],
    );
  });

  test('does not call an archive damaged whose parts go while it is being deleted', async () => {
    const backup = await fixture.readyBackup();
    const { folder } = fixture.host;
    await scrubberOn({
      async *get(key, range) {
        if (key === partKey(backup.id, 0)) {
          await fixture.server.backups.remove(OWNER, backup.id);
          await eventually(async () => (await folder.head(key)) === null);
        }
        yield* folder.get(key, range);
      },
    }).look();
    assert.deepEqual([found, unread], [[], []]);
  });

  test('does not call an archive damaged when the storage does not answer, and reads it once it does', async () => {
    const archives = [await fixture.readyBackup(), await fixture.readyBackup(), await fixture.readyBackup()];
    const last = archives.at(-1) ?? assert.fail();
    await flipByte(last);
    let isOut = true;
    const scrubber = scrubberOn({
      async *get(key, range) {
        if (isOut) throw new BlobsUnavailable('The storage does not answer.');
        yield* fixture.host.folder.get(key, range);
      },
    });
    await scrubber.look();
    // Two in a row are enough to know.
    assert.deepEqual([found.length, unread.length], [0, 2]);
    assert.equal((await scrubber.progress()).finishedAt, null);
    isOut = false;
    await scrubber.look();
    assert.deepEqual(
      found.map(([id]) => id),
      [last.id],
    );
    assert.notEqual((await scrubber.progress()).finishedAt, null);
  });

  test('goes on past a single archive that the storage does not give out', async () => {
    const archives = [await fixture.readyBackup(), await fixture.readyBackup()];
    for (const archive of archives) await flipByte(archive);
    const [first] = archives.map(({ createdAt, id }) => ({ createdAt, id })).sort(inOrder);
    await scrubberOn({
      async *get(key, range) {
        if (key.includes(first?.id ?? '')) throw new BlobsUnavailable('The disk cannot read it.');
        yield* fixture.host.folder.get(key, range);
      },
    }).look();
    assert.deepEqual(unread, [first?.id]);
    assert.equal(found.length, 1);
  });

  test('begins anew where its state cannot be read', async () => {
    await flipByte(await fixture.readyBackup());
    await fixture.host.plane.catalog.settings.set('archive-scrub', '{"after":7,"damaged":{"x":');
    await scrubberOn().look();
    assert.equal(found.length, 1);
  });
});

function inOrder(one: Pick<Archive, 'createdAt' | 'id'>, other: Pick<Archive, 'createdAt' | 'id'>): number {
  return `${one.createdAt} ${one.id}` > `${other.createdAt} ${other.id}` ? 1 : -1;
}

async function* pieces(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
