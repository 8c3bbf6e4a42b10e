// Entry of a copying thread: lowers its priority first, so that queries and writes have priority over its loading, too.

import { takePriority } from '../../../platform/thread-priority.ts';
import { serveParent } from '../../../platform/worker-channel/serve-parent.ts';
import { COPY_CODEC, type CopyMethods } from './protocol.ts';

takePriority('builder');
const { CopyingThread } = await import('./copying-thread.ts');
const { checkInThread } = await import('./check-thread.ts');
const server = serveParent<CopyMethods>(
  {
    copy: (task, call) => {
      // The thread has nothing left to do then.
      server.closeWhenIdle();
      return new CopyingThread(call).run(task);
    },
    check: (task, call) => {
      server.closeWhenIdle();
      return checkInThread(task, call);
    },
  },
  { codec: COPY_CODEC },
);
