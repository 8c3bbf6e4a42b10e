// A thread for tests that starts, answers, fails and dies on request.
import { existsSync } from 'node:fs';
import { getPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { TooLong } from '../../provider-errors.ts';
import { serveThread } from '../serve-thread.ts';

const { changedWhen } = workerData as { readonly changedWhen: string };
serveThread<string>(async () => ({
  attributes: existsSync(changedWhen) ? 'changed' : 'first',
  answer: (request) => {
    if (request === 'die') process.exit(3);
    if (request === 'fail') throw new Error('no such thing');
    if (request === 'priority') return getPriority(0);
    if (request === 'long') throw new TooLong(2, { tokens: 9, tokensMax: 5 });
    return `${request} done`;
  },
}));
