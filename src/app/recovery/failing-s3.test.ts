// The recovery log in S3-compatible storage that is away, loses answers, or damages what it gives back.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openS3Blobs } from '../../blobs/s3/open-s3-blobs.ts';
import { FakeS3 } from '../../blobs/s3/testing/fake-s3.ts';
import { HANG_MS } from '../../platform/testing/until.ts';
import { Unrecoverable } from './plan-recovery.ts';
import { RecoveryFixture } from './testing/recovery-fixture.ts';

const LIMITS = { connectMs: HANG_MS, idleMs: HANG_MS, attemptsMax: 1, partBytes: 1_500 };

async function openFixture(test: TestContext) {
  const fake = await FakeS3.start();
  test.after(() => fake.close());
  const blobs = await openS3Blobs({
    ...{ bucket: 'bucket', prefix: 'p', endpoint: fake.endpoint, region: 'us-east-1', limits: LIMITS },
    credentials: { accessKeyId: 'AK', secretAccessKey: 'a-secret-that-no-message-shows' },
  });
  return { fake, fixture: new RecoveryFixture(test, blobs) };
}

test('ships what was written while the bucket was away, once each, when it is back', async (test) => {
  const { fake, fixture } = await openFixture(test);
  const shipper = await fixture.shipper();
  fixture.write('a');
  await shipper.ship();
  fake.fault = ({ method }) => (method === 'PUT' ? { status: 503, code: 'SlowDown' } : null);
  for (let i = 0; i < 3; i++) {
    fixture.write('a');
    fixture.write('b');
    await assert.rejects(shipper.ship());
  }
  // Stored, but the answer never comes.
  let isLost = false;
  fake.fault = ({ method, url }) => {
    if (isLost || method !== 'PUT' || !url.includes('/log/')) return null;
    isLost = true;
    return 'answer-lost';
  };
  await shipper.ship().catch(() => undefined);
  fake.fault = () => null;
  await shipper.ship();
  await shipper.settled();
  fixture.now += 60_000;
  await shipper.ship();
  assert.ok(isLost);
  const { made } = await fixture.recovered(null);
  assert.deepEqual(Object.fromEntries(made), { a: [1, 2, 3, 4], b: [1, 2, 3] });
  assert.equal(fixture.timelines.length, 1);
});

test('goes on after a restart whose bucket has an object that was never acknowledged', async (test) => {
  const { fake, fixture } = await openFixture(test);
  fixture.write('a');
  await (await fixture.shipper()).ship();
  fixture.write('a');
  fake.fault = ({ method, url }) => (method === 'PUT' && url.includes('/log/') ? 'answer-lost' : null);
  await (await fixture.shipper()).ship().catch(() => undefined);
  fake.fault = () => null;
  fixture.write('a');
  const shipper = await fixture.shipper();
  fixture.now += 60_000;
  await shipper.ship();
  assert.deepEqual((await fixture.recovered(null)).made.get('a'), [1, 2, 3]);
  assert.equal(fixture.timelines.length, 1);
});

test('names the object whose header the bucket gives back damaged', async (test) => {
  const { fake, fixture } = await openFixture(test);
  const shipper = await fixture.shipper();
  for (let i = 0; i < 3; i++) {
    fixture.write('a');
    await shipper.ship();
  }
  const key = [...fake.objects.keys()].filter((each) => each.includes('/log/')).sort()[1] ?? '';
  const stored = fake.objects.get(key);
  assert.ok(stored !== undefined);
  stored.body[20] = (stored.body[20] ?? 0) ^ 1;
  await assert.rejects(
    fixture.recovered(null),
    (error) =>
      error instanceof Unrecoverable && /log\/000000000002 does not have its checksum/.test(error.message),
  );
});
