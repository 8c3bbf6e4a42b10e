// Opens the reference engine, with the data endpoints running on the main thread.
import { join } from 'node:path';
import { ReferenceEngine } from '../../engine/reference/reference-engine.ts';
import type { Logger } from '../../http/request-log.ts';
import type { Settings } from '../settings.ts';
import { inProcessExecutor } from './in-process-executor.ts';
import type { OpenEngine } from './open-engine.ts';

const FOLDER = 'indexes';

export async function openReferenceEngine(settings: Settings, logger: Logger): Promise<OpenEngine> {
  const engine = new ReferenceEngine(join(settings.dataDir, FOLDER));
  const onError = (requestId: string, error: unknown) =>
    logger.error({ requestId, err: error }, 'a request failed');
  return { engine, executor: inProcessExecutor(engine, { onError }), descriptions: null };
}
