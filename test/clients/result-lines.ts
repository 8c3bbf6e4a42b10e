// Reads the results that our own drivers print: one line per test, a mark and a JSON object.
import type { TestResult } from './client.ts';
import type { Finished } from './command.ts';

const MARK = '@result ';

/** Results in the order printed; a driver that broke off counts as one more failed test. */
export function readResults({ stdout, code, tail }: Finished): readonly TestResult[] {
  const results = stdout
    .split('\n')
    .filter((line) => line.startsWith(MARK))
    .map((line) => toResult(JSON.parse(line.slice(MARK.length))));
  const failed = results.some(({ outcome }) => outcome === 'failed');
  if (code === 0 || (failed && code === 1)) return results;
  return [...results, { name: 'the driver ends', outcome: 'failed', message: `exit code ${code}: ${tail}` }];
}

function toResult(line: Partial<TestResult>): TestResult {
  return { name: line.name ?? '', outcome: line.outcome ?? 'failed', message: line.message ?? '' };
}
