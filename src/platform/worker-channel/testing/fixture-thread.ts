// A worker thread that serves the fixture's methods; a RangeError ends it. When it is closed, it may warn a last time.
import { workerData } from 'node:worker_threads';
import { serveParent } from '../serve-parent.ts';
import { FIXTURE_HANDLERS, type FixtureMethods } from './fixture-methods.ts';

serveParent<FixtureMethods>(FIXTURE_HANDLERS, {
  isFatal: (error) => error instanceof RangeError,
  onClose: () => {
    const { lastWords } = workerData ?? {};
    if (lastWords !== undefined) process.emitWarning(lastWords);
  },
});
