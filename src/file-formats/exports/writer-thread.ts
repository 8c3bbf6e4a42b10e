// Entry of an export's writing thread: unpacks records and makes the bytes of files.
import { parentPort, workerData } from 'node:worker_threads';
import { FileCutter } from './file-cutter.ts';
import type { ExportBatch, WriterAnswer, WriterStart } from './messages.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');
const cutter = new FileCutter(workerData as WriterStart);

async function answer(batch: ExportBatch): Promise<void> {
  let reply: WriterAnswer;
  try {
    reply = { type: 'outputs', outputs: await cutter.add(batch) };
  } catch (error) {
    reply = {
      type: 'failed',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
  const outputs = reply.type === 'outputs' ? reply.outputs : [];
  port?.postMessage(
    reply,
    outputs.flatMap((output) => (output.type === 'bytes' ? [output.bytes.buffer] : [])),
  );
}

port.on('message', (batch: ExportBatch) => void answer(batch));
