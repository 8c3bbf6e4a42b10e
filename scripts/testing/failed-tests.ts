// The failed tests of a run: a reporter notes each of them in a file, and the run ends with their names.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

/** What `--test-reporter` takes. */
export const REPORTER = fileURLToPath(import.meta.url);

type Failure = Extract<TestEvent, { type: 'test:fail' }>['data'];

/** Yields a line for each failed test as soon as it is reported: its file and line, its suites, its title. */
export default async function* reporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const titles: string[] = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') titles.splice(data.nesting, Number.POSITIVE_INFINITY, data.name);
    if (type !== 'test:fail' || isOnlyAround(data)) continue;
    const title = isProcess(data)
      ? 'the process failed'
      : [...titles.slice(0, data.nesting), data.name].join(' > ');
    yield `${placeOf(data)}  ${title.replaceAll(/\s+/g, ' ')}\n`;
  }
}

/** The names that the reporter has noted in a file, as the last lines of a run's output; empty when it noted none. */
export function failedTestsText(path: string): string {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  if (lines.length === 0) return '';
  return [`Failed tests (${lines.length}):`, ...lines.map((line) => `  ${line}`), ''].join('\n');
}

/** A suite fails along with its tests, which are noted by themselves. */
function isOnlyAround({ details }: Failure): boolean {
  return 'failureType' in details.error && details.error.failureType === 'subtestsFailed';
}

/** A process that could not be loaded, died or did not end is reported by the path of its file. */
function isProcess({ name, file }: Failure): boolean {
  return name === file;
}

function placeOf({ file, line }: Failure): string {
  if (file === undefined) return 'somewhere';
  return [relative(process.cwd(), file), ...(line === undefined ? [] : [line])].join(':');
}
