// A thread for tests, that starts, answers, fails and dies as it is told.
import { existsSync } from 'node:fs';
import { getPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { TooLong } from '../../trouble.ts';
import { serveThread } from '../serve-thread.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');
const { changedWhen } = workerData as { readonly changedWhen: string };
await serveThread<string>(port, async () => ({
  facts: existsSync(changedWhen) ? 'changed' : 'first',
  answer: (request) => {
    if (request === 'die') process.exit(3);
    if (request === 'fail') throw new Error('no such thing');
    if (request === 'priority') return { answer: getPriority(0) };
    if (request === 'long') throw new TooLong(2, { tokens: 9, tokensMax: 5 });
    return { answer: `${request} done` };
  },
}));
