// Entry point of the thread of the built-in models.
import { warmUp } from '../../builtin/encoders.ts';
import { serveThread } from '../../threads/serve-thread.ts';
import { type BuiltInRequest, embedBuiltIn, scoreBuiltIn } from './answer-built-in.ts';

serveThread<BuiltInRequest>(async () => {
  warmUp();
  return {
    attributes: null,
    answer: (request) =>
      request.type === 'embed' ? embedBuiltIn(request.encoder, request.batch) : scoreBuiltIn(request.batch),
  };
});
