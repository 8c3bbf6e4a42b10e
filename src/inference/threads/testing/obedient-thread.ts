// A thread for tests that starts, answers, fails and dies on request.
import { existsSync } from 'node:fs';
import { getPriority } from 'node:os';
import { startData } from '../../../platform/worker-channel/start-data.ts';
import { TooLong } from '../../provider-errors.ts';
import { serveThread } from '../serve-thread.ts';

const { changedWhen } = startData<{ readonly changedWhen: string }>();
serveThread<never>(async () => ({
  attributes: existsSync(changedWhen) ? 'changed' : 'first',
  embed: () => Promise.reject(new Error('it embeds nothing')),
  score: ({ query }) => {
    if (query === 'die') process.exit(3);
    if (query === 'fail') throw new Error('no such thing');
    if (query === 'priority') return [getPriority(0)];
    if (query === 'long') throw new TooLong(2, { tokens: 9, tokensMax: 5 });
    return [query.length];
  },
}));
