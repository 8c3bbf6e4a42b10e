// Entry of a copying thread: steps back first, because copies have time; queries and writes go ahead of its loading, too.
import { parentPort, workerData } from 'node:worker_threads';
import { takePriority } from '../../../platform/thread-priority.ts';
import type { CopyTask } from './protocol.ts';

if (parentPort === null) throw new Error('this file is the entry of a worker thread');
takePriority('builder');
const { CopyingThread } = await import('./copying-thread.ts');
await new CopyingThread(parentPort, workerData as CopyTask).run();
