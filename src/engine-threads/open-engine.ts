// Opens the embedded engine with the data surfaces' endpoints in its threads.
import type { Logger } from '../server/request-log.ts';
import type { Settings } from '../settings.ts';
import { dataEndpoints } from '../surfaces/data/index.ts';
import { EmbeddedEngine } from '../vectors/embedded/embedded-engine.ts';
import type { VectorEngine } from '../vectors/engine.ts';

const EXIT_BROKEN = 70;

export async function openEngine(settings: Settings, logger: Logger): Promise<VectorEngine> {
  return new EmbeddedEngine({
    dataDir: settings.dataDir,
    readerThreads: settings.searchThreads,
    writerThreads: settings.writeThreads,
    queueMax: settings.queueMax,
    lanes: new Map(dataEndpoints.map((endpoint) => [endpoint.id, endpoint.lane])),
    entries: {
      reader: new URL('./reader.ts', import.meta.url),
      writer: new URL('./writer.ts', import.meta.url),
    },
    events: {
      onReport: ({ requestId, error }) => logger.error({ requestId, error }, 'a request failed'),
      // What such a thread held may be half-done in memory; on disk nothing is. A fresh start is the safe answer.
      onDeath: (error) => {
        logger.fatal({ err: error }, 'an engine thread ended; stopping');
        process.exit(EXIT_BROKEN);
      },
    },
  });
}
