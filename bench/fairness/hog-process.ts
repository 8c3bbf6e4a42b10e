// The process of the hogs. It has a low priority, and only what they do to the server is measured, not their own work.
import { setPriority } from 'node:os';
import { HOG_KINDS, type Hog } from './hogs.ts';

/** A crowd of one kind, until 'stop' is received. */
export interface CrowdOrder {
  readonly kind: string;
  readonly hog: Omit<Hog, 'key'>;
  /** One for each hog. */
  readonly keys: readonly string[];
}

const LOW = 10;

setPriority(LOW);
let stopping = new AbortController();
let running: Promise<unknown> = Promise.resolve();
process.on('message', (order: CrowdOrder | 'stop') => {
  if (order === 'stop') {
    stopping.abort();
    void running.then(() => process.send?.('ended'));
    return;
  }
  stopping = new AbortController();
  const kind = HOG_KINDS.find(({ name }) => name === order.kind);
  const runs = order.keys.map((key, i) =>
    kind?.run({ ...order.hog, key }, i, stopping.signal).catch(() => undefined),
  );
  running = Promise.all(runs);
});
