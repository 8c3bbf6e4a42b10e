// Prints the results of Node's test runner in the form that the command reads.
import { basename } from 'node:path';

/** The deepest tests only: a group passes or fails with its members. */
export default async function* report(events) {
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details?.type === 'suite') continue;
    const outcome = data.skip ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed';
    const name = `${basename(data.file ?? '', '.test.ts')} > ${data.name}`;
    const message = String(data.details?.error?.cause ?? data.details?.error ?? '');
    yield `@result ${JSON.stringify({ name, outcome, message })}\n`;
  }
}
