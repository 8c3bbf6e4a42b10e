// Entry point of the thread of the built-in models.
import { warmUp } from '../../builtin/encoders.ts';
import { serveThread } from '../../threads/serve-thread.ts';
import { type BuiltInEmbedRequest, embedBuiltIn, scoreBuiltIn } from './answer-built-in.ts';

serveThread<BuiltInEmbedRequest>(async () => {
  warmUp();
  return {
    attributes: null,
    embed: ({ encoder, batch }) => embedBuiltIn(encoder, batch),
    score: scoreBuiltIn,
  };
});
