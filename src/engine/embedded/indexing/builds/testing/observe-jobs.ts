// Sees the jobs that reach a builder thread before it does them; for tests.
import type { MessagePort } from 'node:worker_threads';
import { CALL, type CallerMessage } from '../../../../../platform/worker-channel/wire.ts';
import type { BuildJob } from '../builders.ts';
import type { JobRequest } from '../protocol.ts';

/** To be called before the port is served: listeners take messages in their order. */
export function observeJobs(port: MessagePort, onJob: (job: BuildJob) => void): void {
  port.on('message', (message: CallerMessage) => {
    // The only method of builders.
    if (message[0] === CALL) onJob((message[3] as JobRequest).job);
  });
}
