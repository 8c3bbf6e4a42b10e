// Compares the results of a client's tests with its list of exceptions, and says both in lines of text.
import type { KnownException, TestResult } from './client.ts';

export interface Verdict {
  readonly isGood: boolean;
  readonly lines: readonly string[];
}

const MESSAGE_CHARS = 600;

/** Good if exactly the excepted tests failed. An exception that passes or matches no test is a fault of the list. */
export function judge(results: readonly TestResult[], exceptions: readonly KnownException[]): Verdict {
  const faults: string[] = [];
  const notes: string[] = [];
  const used = new Set<KnownException>();
  for (const result of results) {
    const exception = exceptions.find(({ test }) => matches(result.name, test));
    if (exception !== undefined) used.add(exception);
    if (result.outcome === 'skipped') notes.push(`skipped   ${result.name}: ${brief(result.message)}`);
    if (result.outcome === 'failed' && exception === undefined) {
      faults.push(`FAILED    ${result.name}: ${brief(result.message)}`);
    }
    if (result.outcome === 'failed' && exception !== undefined) {
      notes.push(`exception ${result.name}: ${exception.reason}`);
    }
    if (result.outcome === 'passed' && exception !== undefined) {
      faults.push(`PASSED    ${result.name}, which the list of exceptions expects to fail: remove it there`);
    }
  }
  for (const exception of exceptions) {
    if (!used.has(exception)) faults.push(`NOT FOUND ${exception.test}, an exception that matches no test`);
  }
  if (results.length === 0) faults.push('NO TESTS  the suite ran no test');
  return { isGood: faults.length === 0, lines: [...notes, ...faults] };
}

/** The counts, in the form of common test runners. */
export function counts(results: readonly TestResult[]): string {
  const of = (outcome: TestResult['outcome']): number =>
    results.filter((result) => result.outcome === outcome).length;
  return `${of('passed')} passed, ${of('failed')} failed, ${of('skipped')} skipped`;
}

function matches(name: string, pattern: string): boolean {
  if (!pattern.includes('*')) return name === pattern;
  const [first = '', ...rest] = pattern.split('*');
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const [i, part] of rest.entries()) {
    const isLast = i === rest.length - 1;
    const found = isLast ? name.length - part.length : name.indexOf(part, at);
    if (found < at || !name.startsWith(part, found)) return false;
    at = found + part.length;
  }
  return true;
}

/** Without colors, in one line, not too long. */
function brief(message: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors of terminals begin with an escape
  const plain = message.replace(/\u001b\[[0-9;]*m/g, '');
  return plain.replace(/\s+/g, ' ').trim().slice(0, MESSAGE_CHARS);
}
