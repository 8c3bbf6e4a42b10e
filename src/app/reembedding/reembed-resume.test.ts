// Re-embedding that was interrupted: where the next job goes on, and when it starts over.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IndexEmbedding } from '../../domain/embedding/index-embedding.ts';
import { fault } from '../../domain/faults.ts';
import { all, failAfter100, ReembedFixture, startAgain, texts } from './testing/reembed-fixture.ts';

describe('re-embedding that was interrupted', () => {
  it('resumes after the last checkpoint', async () => {
    const fixture = new ReembedFixture({ a: texts(250) });
    fixture.inference.setRevision('2');
    let writes = 0;
    fixture.atWrite = () => {
      writes++;
      if (writes === 4) throw fault('interrupted');
    };
    await assert.rejects(fixture.run(), { condition: 'interrupted' });
    assert.deepEqual(fixture.progress?.after, { namespace: 'a', id: 'r99' });
    const before = fixture.written.length;
    await fixture.run();
    assert.deepEqual(fixture.written.slice(before), all(250, 'a').slice(100));
    assert.equal(fixture.index.embed?.remaking, null);
  });

  it('starts over when the source changes again, also back to the old one', async () => {
    for (const revision of ['3', '1']) {
      const fixture = new ReembedFixture({ a: texts(150) });
      fixture.inference.setRevision('2');
      fixture.atWrite = () => {
        if (fixture.written.length >= 100) throw fault('interrupted');
      };
      await assert.rejects(fixture.run());
      fixture.atWrite = () => undefined;
      fixture.inference.setRevision(revision);
      fixture.written.length = 0;
      await fixture.run();
      assert.deepEqual(fixture.written, all(150, 'a'));
      assert.deepEqual(fixture.index.embed?.source, { provider: 'test', revision });
    }
  });

  it('goes on where the latest job failed when it is started again', async () => {
    const fixture = new ReembedFixture({ a: texts(250) });
    await failAfter100(fixture);
    await startAgain(fixture);
    await fixture.run();
    assert.deepEqual(fixture.written, all(250, 'a').slice(100));
    assert.equal(fixture.index.embed?.remaking, null);
  });

  it('starts over after a failed job when the field of the texts or the vectors have changed since', async () => {
    const changes: readonly Partial<IndexEmbedding>[] = [
      { textField: 'other', formerTextFields: ['text'] },
      { remaking: { provider: 'test', revision: '3' } },
    ];
    for (const change of changes) {
      const fixture = new ReembedFixture({ a: texts(150) });
      await failAfter100(fixture);
      const { embed } = fixture.index;
      assert.ok(embed !== null);
      fixture.index = { ...fixture.index, embed: { ...embed, ...change } };
      await startAgain(fixture);
      await fixture.run();
      assert.deepEqual(fixture.written, all(150, 'a'));
    }
  });

  it('starts over after a failed job when the records have been made anew from a backup since', async () => {
    const fixture = new ReembedFixture({ a: texts(150) });
    await failAfter100(fixture);
    fixture.index = { ...fixture.index, storageId: 'made-anew' };
    await startAgain(fixture);
    await fixture.run();
    assert.deepEqual(fixture.written, all(150, 'a'));
  });

  it('goes on with the progress of an earlier release, which notes no storage, unless the records may have been made anew since', async () => {
    /** As an earlier release leaves it. */
    const failedEarlier = async (
      targetOf = (made: readonly string[]) => JSON.stringify(made),
    ): Promise<ReembedFixture> => {
      const fixture = new ReembedFixture({ a: texts(150) });
      await failAfter100(fixture);
      const { progress } = fixture;
      assert.ok(progress !== null);
      const { awaited: _, ...known } = progress;
      const target = targetOf(JSON.parse(progress.target).slice(1));
      fixture.job = { ...fixture.job, progress: { ...known, target } };
      return fixture;
    };
    const surviving = await failedEarlier();
    await surviving.run();
    const startedAgain = await failedEarlier();
    await startAgain(startedAgain);
    await startedAgain.run();
    // 0.1.0 notes the source of the vectors alone.
    const first = await failedEarlier(([, source]) => source ?? assert.fail());
    await first.run();
    for (const { written } of [surviving, startedAgain, first])
      assert.deepEqual(written, all(150, 'a').slice(100));
    const madeAnew = await failedEarlier();
    madeAnew.index = { ...madeAnew.index, storageId: 'made-anew' };
    await startAgain(madeAnew);
    await madeAnew.run();
    assert.deepEqual(madeAnew.written, all(150, 'a'));
  });
});
