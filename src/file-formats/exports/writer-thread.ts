// The entry of an export's writing thread: unpacks records and writes the bytes of files.

import { Moved } from '../../platform/worker-channel/moved.ts';
import { serveParent } from '../../platform/worker-channel/serve-parent.ts';
import { startData } from '../../platform/worker-channel/start-data.ts';
import { FileCutter } from './file-cutter.ts';
import type { WriterMethods, WriterStart } from './messages.ts';

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
