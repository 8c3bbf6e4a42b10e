// Jobs on graph fixtures, and builder threads as the pool runs them; for tests.
import { MessageChannel } from 'node:worker_threads';
import type { GraphFixture } from '../../../kernels/testing/graph-fixture.ts';
import { Epochs } from '../../../memory/epochs.ts';
import { EngineThread } from '../../../workers/engine-thread.ts';
import { QueryLoad } from '../build-pause.ts';
import type { BuildJob } from '../builders.ts';
import type { ThreadBuilders } from '../thread-builders.ts';

export function insertion(
  { layout }: GraphFixture,
  { from, until }: { readonly from: number; readonly until: number },
): Extract<BuildJob, { kind: 'insert' }> {
  const slots = Uint32Array.from({ length: until - from }, (_, i) => from + i);
  return { kind: 'insert', graph: layout.graph, slots, slotLimit: layout.slots, efConstruction: 64 };
}

/** The product's entry of a builder thread. */
export const BUILDER_ENTRY = new URL('../../../../../boot/engine/builder.ts', import.meta.url);

/** Starts a builder thread and gives it a channel to the builders. `onDeath` is called when it ends by itself. */
export async function startBuilder(
  builders: ThreadBuilders,
  options: {
    readonly number: number;
    readonly entry?: URL;
    readonly onDeath?: () => void;
  },
): Promise<EngineThread> {
  const { number, entry = BUILDER_ENTRY, onDeath } = options;
  const start = {
    dataDir: '/nowhere',
    number,
    counts: { reader: 1, writer: 1, builder: builders.count },
    epochs: Epochs.allocate(1),
    queryLoad: QueryLoad.allocate(1),
    dropped: [],
  };
  const thread = new EngineThread(entry, start, {
    onNotice: () => undefined,
    onDeath: () => onDeath?.(),
  });
  const { port1, port2 } = new MessageChannel();
  const peer = { kind: 'writer', number: 0 } as const;
  await thread.call('join', { peer, port: port1 }, { transfer: [port1] });
  builders.connect(number, port2);
  return thread;
}
