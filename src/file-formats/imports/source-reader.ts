// The main thread's side of an import's reading thread, with bounds on its memory and its silence.
import { partOfMemory } from '../../platform/machine-memory.ts';
import { ChannelEnded } from '../../platform/worker-channel/errors.ts';
import { WorkerThread } from '../../platform/worker-channel/worker-thread.ts';
import { SourceProblem, SourceUnavailable } from '../../storage-locations/source.ts';
import { FILE_THREAD_MEMORY } from '../thread-memory.ts';
import type { ImportEvent, ReaderStart } from './messages.ts';
import { READER_CODEC, type ReaderMethods } from './reader-methods.ts';

/** The longest silence while an event is awaited. Storage that does not respond is given up sooner. */
const SILENCE_MS_MAX = 600_000;

/**
 * Yields the plan, then batch after batch; reads ahead while one is processed. Ends when everything is read.
 * @throws SourceProblem, SourceUnavailable, the signal's reason
 */
export async function* readInThread(start: ReaderStart, signal: AbortSignal): AsyncGenerator<ImportEvent> {
  signal.throwIfAborted();
  const thread = new WorkerThread<ReaderMethods>(new URL('./reader-thread.ts', import.meta.url), {
    name: 'the reading thread',
    codec: READER_CODEC,
    worker: { resourceLimits: { maxOldGenerationSizeMb: partOfMemory(FILE_THREAD_MEMORY) } },
  });
  const call = thread.channel.stream('read', start, { signal, onNote: () => silence.refresh() });
  let isAwaited = false;
  const silence = setTimeout(() => {
    if (isAwaited) call.abort(halted());
  }, SILENCE_MS_MAX);
  const events = call.items();
  try {
    for (;;) {
      isAwaited = true;
      silence.refresh();
      const next = await events.next();
      isAwaited = false;
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    throw error instanceof ChannelEnded ? endOf(error) : error;
  } finally {
    clearTimeout(silence);
    await thread.terminate();
  }
}

function endOf({ cause }: ChannelEnded): unknown {
  if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new SourceProblem('Reading a file takes too much memory; it is corrupt.');
  return cause ?? new SourceUnavailable('The reading thread has ended.');
}

function halted(): SourceProblem {
  return new SourceProblem('Reading has stalled: a file is corrupt, or its storage too slow.');
}
