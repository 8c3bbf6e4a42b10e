// A process that only waits for a thread's answer, and ends as soon as that thread is idle.
import { WorkerThread } from '../worker-thread.ts';
import type { FixtureMethods } from './fixture-methods.ts';

const entry = new URL('./fixture-thread.ts', import.meta.url);
const thread = new WorkerThread<FixtureMethods>(entry, { name: 'the fixture', isServant: true });
process.send?.(await thread.channel.call('wait', 50));
