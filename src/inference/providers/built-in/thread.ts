// Entry of the thread of the built-in models.
import { parentPort } from 'node:worker_threads';
import { warmUp } from '../../builtin/encoders.ts';
import { serveThread } from '../../threads/serve-thread.ts';
import { type BuiltInRequest, embedBuiltIn, scoreBuiltIn } from './answer-built-in.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');
await serveThread<BuiltInRequest>(port, async () => {
  warmUp();
  return {
    facts: null,
    answer: (request) => ({
      answer:
        request.type === 'embed' ? embedBuiltIn(request.encoder, request.batch) : scoreBuiltIn(request.batch),
    }),
  };
});
