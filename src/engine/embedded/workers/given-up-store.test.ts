// A store that LMDB has given up, since the disk refused its meta page, is opened again instead of failing until a restart.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { Fault } from '../../../domain/faults.ts';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { indexFolder } from '../storage/index-files.ts';
import { RECORDS } from '../storage/integrity/sealed-records.ts';
import { breakMetaPage } from '../testing/break-meta-page.ts';
import { type Answer, EngineClient } from '../testing/engine-client.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const PROFILE = sampleProfile({ dimension: 3, metric: 'dotproduct' });
const VALUES = [1, 2, 3];
const ROUNDS = 2;
const OK = 200;
const UNAVAILABLE = 503;

interface Matches {
  readonly matches: readonly { readonly id: string }[];
}

it('answers 503 while a commit whose meta page failed is cleared up, and then serves all that was acknowledged', async (test) => {
  const dataDir = tempFolder(test);
  const history = { msMax: 60_000, diskPercentMax: 50 };
  const client = new EngineClient(dataDir, { readerThreads: 2, history });
  test.after(() => client.engine.close());
  await client.engine.createIndex(PROFILE);
  let ids: readonly string[] = [];
  const status = (call: Promise<Answer<unknown>>) =>
    call.then(
      (answer) => answer.status,
      (error: unknown) => (error instanceof Fault ? error.status : assert.fail(String(error))),
    );
  const upsert = (id: string) =>
    status(client.call(PROFILE, 'upsert_vectors', { body: { vectors: [{ id, values: VALUES }] } }));
  const query = () =>
    status(
      client
        .call<Matches>(PROFILE, 'query_vectors', { body: { vector: VALUES, topK: 100 } })
        .then((answer) => {
          if (answer.status === OK) ids = answer.body.matches.map(({ id }) => id);
          return answer;
        }),
    );
  for (let round = 0; round < ROUNDS; round++) {
    assert.equal(await upsert(`${round}`), OK);
    // Both readers have it open, and a copy.
    await Promise.all([query(), query(), query(), query()]);
    const copy = client.engine.copies(PROFILE).export({ signal: new AbortController().signal });
    const copied = copy.then((each) => each.release()).catch(() => undefined);
    if (!breakMetaPage(join(indexFolder(dataDir, PROFILE.id), RECORDS))) return test.diagnostic('no FFI');
    const refused = await Promise.all([upsert('refused'), query(), upsert('refused')]);
    assert.equal(refused[0], UNAVAILABLE);
    assert.ok(
      refused.every((each) => each === OK || each === UNAVAILABLE),
      refused.join(),
    );
    await copied;
    await until(async () => {
      const answered = await query();
      assert.ok(answered === OK || answered === UNAVAILABLE, `${answered}`);
      return answered === OK;
    }, 'the opening');
    const stored = Array.from({ length: round + 1 }, (_, each) => `${each}`);
    assert.deepEqual(ids.filter((id) => id !== 'refused').toSorted(), stored);
  }
  assert.deepEqual(await Promise.all([upsert('last'), query()]), [OK, OK]);
});
