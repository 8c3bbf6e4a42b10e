// The way back to an earlier state: damage of the history or of anything else must not make an undo wrong.
import assert from 'node:assert/strict';
import { ask } from '../document-index.ts';
import { hostsOf } from '../recorded-answers.ts';
import { API_KEY, type Service } from '../service.ts';
import { found } from '../until.ts';
import { answerTo, type FaultAnswer, type FaultRequest } from './requests.ts';

/** A state of a namespace to which an undo leads. */
export interface PastState {
  readonly index: string;
  readonly namespace: string;
  readonly lsn: number;
  /** What to ask after the undo, without the host name; it answered this then. */
  readonly request: FaultRequest;
  readonly answer: FaultAnswer;
}

/** What came of an undo. */
export type UndoOutcome =
  | { readonly kind: 'right' }
  | { readonly kind: 'refused' | 'wrong' | 'unclear'; readonly text: string };

const UNDONE: readonly Pick<PastState, 'index' | 'namespace' | 'request'>[] = [
  {
    index: 'classic',
    namespace: 'second',
    request: {
      owner: 'classic',
      method: 'GET',
      path: `/vectors/fetch?namespace=second&${Array.from({ length: 100 }, (_, i) => `ids=r${600 + i}`).join('&')}`,
    },
  },
  {
    index: 'books',
    namespace: '__default__',
    request: {
      owner: 'books',
      method: 'POST',
      path: '/namespaces/__default__/documents/fetch',
      body: { ids: Array.from({ length: 100 }, (_, i) => `d${i * 4}`) },
    },
  },
];

/** The present state of some namespaces, on a service whose indexes have ports of their own. */
export async function presentStates(service: Service): Promise<readonly PastState[]> {
  const hosts = await hostsOf(service.url, API_KEY);
  return Promise.all(
    UNDONE.map(async (state) => {
      const { to_lsn: lsn } = await ask(service.url, 'GET', `/indexes/${state.index}/history`);
      const answer = await answerTo(`http://${hosts.get(state.index)}`, state.request);
      assert.equal(answer.status, 200, answer.text);
      return { ...state, lsn: Number(lsn), answer };
    }),
  );
}

/** Goes back to the state. @param url of the service; @param host name of the index */
export async function undoTo(
  { index, namespace, lsn, request, answer }: PastState,
  { url, host }: { readonly url: string; readonly host: string },
): Promise<UndoOutcome> {
  const job = { owner: index, path: `/indexes/${index}/undo` };
  const body = { namespace, to_lsn: lsn };
  const started = await answerTo(url, { ...job, method: 'POST', body });
  if (started.status !== 202) return failedAnswer(started);
  let state = started;
  const ended = await found(async () => {
    state = await answerTo(url, { ...job, method: 'GET' });
    return /"state":"(Completed|Failed)"/.test(state.text) || state.status !== 200 ? state : undefined;
  }).catch(() => null);
  if (ended === null) return { kind: 'unclear', text: `it does not end: ${state.text}` };
  if (ended.status !== 200) return failedAnswer(ended);
  if (ended.text.includes('"state":"Failed"')) return { kind: 'refused', text: ended.text };
  const now = await answerTo(url, { ...request, host });
  if (now.status !== 200) return failedAnswer(now);
  return now.text === answer.text
    ? { kind: 'right' }
    : { kind: 'wrong', text: `${index} after an undo: ${now.text} instead of ${answer.text}` };
}

function failedAnswer({ status, text }: FaultAnswer): UndoOutcome {
  return { kind: status === 503 ? 'refused' : 'unclear', text: `${status} ${text}` };
}
