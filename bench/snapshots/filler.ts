// A thread that fills its share of a snapshot's parts on request.
import { parentPort } from 'node:worker_threads';
import { fillParts } from '../../src/engine/embedded/storage/derived-files/fill-parts.ts';

parentPort?.on('message', ({ snapshot, memory, parts, share }) => {
  parentPort?.postMessage(fillParts(snapshot, memory, parts, { share }));
});
parentPort?.postMessage('ready');
