// The entry of an export's writing thread: unpacks records and writes the bytes of files. It lowers its priority first, so
// that queries and writes have priority over its loading, too.

import { takePriority } from '../../platform/thread-priority.ts';
import { Moved } from '../../platform/worker-channel/moved.ts';
import { serveParent } from '../../platform/worker-channel/serve-parent.ts';
import { startData } from '../../platform/worker-channel/start-data.ts';
import type { WriterMethods, WriterStart } from './messages.ts';

takePriority('builder');
const { FileCutter } = await import('./file-cutter.ts');
const cutter = new FileCutter(startData<WriterStart>());

serveParent<WriterMethods>({
  add: async (batch) => {
    const outputs = await cutter.add(batch);
    return new Moved(
      outputs,
      outputs.flatMap((output) => (output.type === 'bytes' ? [output.bytes.buffer] : [])),
    );
  },
});
