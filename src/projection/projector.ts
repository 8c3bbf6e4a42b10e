// The main thread's side of a projection's thread.
import { buffersOf } from '../engine/port/packed-records.ts';
import { WorkerThread } from '../platform/worker-channel/worker-thread.ts';
import type { ProjectorMethods } from './messages.ts';
import type { Projector, ProjectorStart } from './port.ts';

/** Ids and values of a million records; arrays of numbers are outside of the heap. */
const HEAP_MEGABYTES_MAX = 768;

export function openProjector(start: ProjectorStart): Projector {
  const { channel, terminate } = openThread(start);
  return {
    add: (records) => channel.call('add', records, { transfer: buffersOf(records) }),
    ids: (from, count) => channel.call('ids', { from, count }),
    setNeighbors: async (batch) => {
      await channel.call('setNeighbors', batch, { transfer: [batch.scores.buffer as ArrayBuffer] });
    },
    layOut: (request, onProgress) => channel.call('layOut', request, { onNote: onProgress }),
    close: terminate,
  };
}

function openThread(start: ProjectorStart) {
  const thread = new WorkerThread<ProjectorMethods>(new URL('./projector-thread.ts', import.meta.url), {
    name: 'the projection thread',
    worker: { workerData: start, resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES_MAX } },
  });
  return { channel: thread.channel, terminate: () => thread.terminate() };
}
