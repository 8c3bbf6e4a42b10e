// Starts the program on a damaged data directory, asks it everything, and judges the answers.
import { setTimeout as pause } from 'node:timers/promises';
import type { Service } from '../service.ts';
import { ASSISTANT } from './asked-requests.ts';
import { type AskedRequest, FAULT_ENVIRONMENT, type FaultFixture } from './fault-fixture.ts';
import { type UndoOutcome, undoTo } from './past-state.ts';
import { answerTo, type FaultAnswer } from './requests.ts';

export type Outcome =
  | 'unchanged'
  | 'right'
  | 'refused 503'
  | 'refused to start'
  | 'WRONG'
  | 'DIED'
  | 'OTHERS'
  | 'UNCLEAR';

export interface Verdict {
  readonly outcome: Outcome;
  /** What must not happen, in words; null when nothing of it did. */
  readonly failure: string | null;
}

const SHOWN_CHARS = 300;
/** A program that dies closes its connections first. */
const END_MS = 300;

/** @param file the damaged file, relative to the data directory */
export async function judge(service: Service, fixture: FaultFixture, file: string): Promise<Verdict> {
  try {
    await service.start({ env: FAULT_ENVIRONMENT });
  } catch (error) {
    return judgeStart(file, error instanceof Error ? error.message : String(error));
  }
  const damaged = ownerOf(fixture, file);
  const first = await judgeReads(service, fixture, damaged);
  if (first.failure !== null) return first;
  const written = await judgeWrites(service, fixture, damaged);
  if (written.failure !== null) return written;
  const second = await judgeReads(service, fixture, damaged);
  if (second.failure !== null) return { ...second, failure: `after a write: ${second.failure}` };
  const undone = await judgeUndos(service, fixture, damaged);
  if (undone.failure !== null) return undone;
  const isTold = [first, written, second, undone].some(({ outcome }) => outcome === 'refused 503');
  const { code, signal } = await service.stop();
  if (code !== 0)
    return { outcome: 'DIED', failure: `it ended with ${code ?? signal}: ${service.process.log}` };
  return { outcome: isTold ? 'refused 503' : 'right', failure: null };
}

/** A start may be refused only for what everything needs, and in a sentence. */
function judgeStart(file: string, message: string): Verdict {
  const isRefused = /ended with 1 before/.test(message) && !/\n\s+at /.test(message);
  return isRefused && file.startsWith('catalog')
    ? { outcome: 'refused to start', failure: null }
    : { outcome: 'DIED', failure: message };
}

function ownerOf({ owners }: FaultFixture, file: string): string {
  const [top, id = ''] = file.split('/');
  if (top === 'indexes') return owners.get(id) ?? 'nobody';
  return top === 'blobs' ? 'blobs' : 'catalog';
}

async function judgeReads(service: Service, { asked }: FaultFixture, damaged: string): Promise<Verdict> {
  let outcome: Outcome = 'right';
  for (const each of asked) {
    const answer = await answerTo(service.url, each.request);
    const verdict = judgeAnswer(each, answer, damaged);
    if (verdict.failure !== null) return (await isDead(service)) ? died(service, verdict) : verdict;
    if (verdict.outcome === 'refused 503') outcome = verdict.outcome;
  }
  return { outcome, failure: null };
}

function judgeAnswer({ request, answer }: AskedRequest, got: FaultAnswer, damaged: string): Verdict {
  const { owner, method, path } = request;
  if (got.status === answer.status && got.text === answer.text) return { outcome: 'right', failure: null };
  const told = `${owner}, ${method} ${path.slice(0, 80)}: ${got.status} ${differenceOf(answer.text, got.text)}`;
  if (got.status === 200) return { outcome: 'WRONG', failure: told };
  if (got.status !== 503) return { outcome: 'UNCLEAR', failure: told };
  const isItsOwn = owner === damaged || (damaged === 'blobs' && owner === ASSISTANT) || damaged === 'catalog';
  return isItsOwn ? { outcome: 'refused 503', failure: null } : { outcome: 'OTHERS', failure: told };
}

/** Each answer may be 503; one of success must be true afterwards. */
async function judgeWrites(service: Service, { hosts }: FaultFixture, damaged: string): Promise<Verdict> {
  let outcome: Outcome = 'right';
  for (const name of ['classic', 'small', 'late']) {
    const dimension = { classic: 24, small: 8 }[name] ?? 2;
    const [host = '', values] = [hosts.get(name), Array.from({ length: dimension }, (_, i) => (i + 1) / 8)];
    const ask = (method: string, path: string, body?: unknown) =>
      answerTo(service.url, { owner: name, method, path, host, ...(body !== undefined && { body }) });
    const write = await ask('POST', '/vectors/upsert', {
      vectors: [{ id: 'new', values }],
      namespace: 'probe',
    });
    const verdict = judgeStatus(name, write, damaged);
    if (verdict.failure !== null) return (await isDead(service)) ? died(service, verdict) : verdict;
    if (verdict.outcome !== 'right') outcome = verdict.outcome;
    if (write.status !== 200) continue;
    const read = await ask('GET', '/vectors/fetch?ids=new&namespace=probe');
    const expected = JSON.stringify(values);
    if (read.status === 200 && !read.text.includes(expected))
      return { outcome: 'WRONG', failure: `${name}: wrote ${expected}, read ${read.text}` };
    const removed = await ask('DELETE', '/namespaces/probe');
    if (removed.status !== 200) return { outcome: 'UNCLEAR', failure: `${name}: ${removed.text}` };
  }
  return { outcome, failure: null };
}

/** An undo may be refused where its index is damaged; what it leaves must be the state that was asked for. */
async function judgeUndos(
  service: Service,
  { past, hosts }: FaultFixture,
  damaged: string,
): Promise<Verdict> {
  let outcome: Outcome = 'right';
  for (const state of past) {
    const result = await undoTo(state, { url: service.url, host: hosts.get(state.index) ?? '' });
    if (result.kind === 'right') continue;
    const verdict = judgeUndo(state.index, result, damaged);
    if (verdict.failure !== null) return (await isDead(service)) ? died(service, verdict) : verdict;
    outcome = verdict.outcome;
  }
  return { outcome, failure: null };
}

function judgeUndo(
  owner: string,
  { kind, text }: Exclude<UndoOutcome, { readonly kind: 'right' }>,
  damaged: string,
): Verdict {
  const failure = `${owner}, undo: ${text.slice(0, SHOWN_CHARS)}`;
  if (kind !== 'refused') return { outcome: kind === 'wrong' ? 'WRONG' : 'UNCLEAR', failure };
  return owner === damaged || damaged === 'catalog'
    ? { outcome: 'refused 503', failure: null }
    : { outcome: 'OTHERS', failure };
}

function judgeStatus(owner: string, { status, text }: FaultAnswer, damaged: string): Verdict {
  if (status === 200) return { outcome: 'right', failure: null };
  if (status !== 503) return { outcome: 'UNCLEAR', failure: `${owner}, upsert: ${status} ${text}` };
  return owner === damaged || damaged === 'catalog'
    ? { outcome: 'refused 503', failure: null }
    : { outcome: 'OTHERS', failure: `${owner}, upsert: ${text}` };
}

/** Whether the program has ended, or is ending. */
function isDead(service: Service): Promise<boolean> {
  return Promise.race([service.process.ended().then(() => true), pause(END_MS).then(() => false)]);
}

function died(service: Service, { failure }: Verdict): Verdict {
  return { outcome: 'DIED', failure: `${failure}; ${service.process.log.slice(-SHOWN_CHARS)}` };
}

/** Where two texts first differ. */
function differenceOf(expected: string, got: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === got[at]) at++;
  const from = Math.max(0, at - 40);
  return `${got.slice(from, from + SHOWN_CHARS)} instead of ${expected.slice(from, from + SHOWN_CHARS)}`;
}
