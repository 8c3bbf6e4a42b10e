// Runs an import's reading in a thread of its own, bounded in memory and in silence, as seen from the serving thread.
import { ChannelEnded } from '../../platform/worker-channel/errors.ts';
import { WorkerThread } from '../../platform/worker-channel/worker-thread.ts';
import { SourceProblem, SourceUnavailable } from '../sources/source.ts';
import type { ImportEvent, ReaderStart } from './messages.ts';
import { READER_CODEC, type ReaderMethods } from './reader-methods.ts';

/** What damaged footers can make the Parquet library allocate ends the thread, not the server. */
const HEAP_MEGABYTES_MAX = 384;
/** Without a word, while an event is awaited. Storage that does not answer is given up sooner. */
const SILENCE_MS_MAX = 600_000;

/**
 * The plan, then batch after batch; reading goes on while one is looked at. Ends when all is read.
 * @throws SourceProblem, SourceUnavailable, the signal's reason
 */
export async function* readInThread(start: ReaderStart, signal: AbortSignal): AsyncGenerator<ImportEvent> {
  signal.throwIfAborted();
  const thread = new WorkerThread<ReaderMethods>(new URL('./reader-thread.ts', import.meta.url), {
    name: 'the reading thread',
    codec: READER_CODEC,
    worker: { resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES_MAX } },
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
    return new SourceProblem('A file needs too much memory to be read; it is damaged.');
  return cause ?? new SourceUnavailable('The reading thread has ended.');
}

function halted(): SourceProblem {
  return new SourceProblem('Reading has come to a halt: a file is damaged, or its storage too slow.');
}
