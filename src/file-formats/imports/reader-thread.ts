// The entry of an import's reading thread: reads, validates and packs records ahead of the writes. It lowers its priority
// first, so that queries and writes have priority over its loading, too.
import { buffersOf } from '../../engine/port/packed-records.ts';
import { takePriority } from '../../platform/thread-priority.ts';
import { serveParent } from '../../platform/worker-channel/serve-parent.ts';
import { READER_CODEC, type ReaderMethods } from './reader-methods.ts';

/** How often the thread reports that it is still reading. */
const ALIVE_MS = 1_000;
/** How many batches are read ahead of the one being written. */
const AHEAD_BATCHES = 2;

takePriority('builder');
const { readImport } = await import('./read-source.ts');
serveParent<ReaderMethods>(
  {
    read: async (start, call) => {
      let notedAt = 0;
      const onRead = () => {
        if (performance.now() - notedAt < ALIVE_MS) return;
        notedAt = performance.now();
        call.note('alive');
      };
      for await (const event of readImport(start, onRead)) {
        const records = event.type === 'batch' ? event.records : null;
        await call.send(event, records === null ? [] : buffersOf(records));
      }
      return null;
    },
  },
  { codec: READER_CODEC, itemsAhead: AHEAD_BATCHES },
);
