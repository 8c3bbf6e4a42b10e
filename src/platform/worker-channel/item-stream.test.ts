// Tests that a stream keeps the order of its items, and bounds how far its sender is ahead.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Inbox, ITEMS_AHEAD, Outbox } from './item-stream.ts';

const ITEMS = 50;

function connect() {
  let sent = 0;
  const outbox: Outbox<number> = new Outbox((item) => {
    sent++;
    inbox.push(item);
  });
  const inbox = new Inbox<number>(() => outbox.more());
  return { outbox, inbox, sent: () => sent };
}

async function sendAll(outbox: Outbox<number>): Promise<void> {
  for (let item = 0; item < ITEMS; item++) await outbox.send(item);
}

it('delivers every item in order, with a bounded number in flight', async () => {
  const { outbox, inbox, sent } = connect();
  const sending = sendAll(outbox).then(() => inbox.end());
  const taken: number[] = [];
  for await (const item of inbox.items()) {
    taken.push(item);
    await new Promise(setImmediate);
    assert.ok(sent() - taken.length <= ITEMS_AHEAD, `${sent()} sent, ${taken.length} taken`);
  }
  await sending;
  assert.deepEqual(
    taken,
    Array.from({ length: ITEMS }, (_, item) => item),
  );
});

it('fails both ends with the reason, even while they wait', async () => {
  const { outbox, inbox } = connect();
  const sending = assert.rejects(sendAll(outbox), /given up/);
  await new Promise(setImmediate);
  outbox.fail(new Error('given up'));
  await sending;
  const { inbox: empty } = connect();
  const taking = assert.rejects(empty.items().next(), /given up/);
  await new Promise(setImmediate);
  empty.fail(new Error('given up'));
  await taking;
  inbox.fail(new Error('given up'));
  await assert.rejects(inbox.items().next(), /given up/);
});

it('keeps the items of a stream that ended before the failure', async () => {
  const { outbox, inbox } = connect();
  await outbox.send(1);
  inbox.end();
  inbox.fail(new Error('too late'));
  assert.deepEqual(await Array.fromAsync(inbox.items()), [1]);
});
