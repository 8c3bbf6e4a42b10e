// The requests of the project as they end: the newest first, filtered by kind, and to pause.
import { useEffect, useState } from 'preact/hooks';
import { asProblem, type Problem } from '../../api/problem.ts';
import { Choices } from '../../ui/choices.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Empty, ErrorBox } from '../../ui/feedback.tsx';
import { milliseconds } from '../../ui/format.ts';
import { PartHead } from '../../ui/page.tsx';
import { whenReleased } from '../../ui/press.ts';
import { Table } from '../../ui/table.tsx';
import { followRequests, type SeenRequest } from './follow-requests.ts';

const SHOWN_MAX = 200;
const FIRST_ERROR = 400;
const KINDS = [
  { name: 'all', title: 'All' },
  { name: 'errors', title: 'Errors' },
] as const;

export function RequestTail() {
  const [requests, setRequests] = useState<readonly SeenRequest[]>([]);
  const [kind, setKind] = useState<(typeof KINDS)[number]['name']>('all');
  const [isPaused, setPaused] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  /** A problem after which the page asks again by itself. */
  const [refused, setRefused] = useState<Problem>();
  useEffect(() => {
    if (isPaused) return undefined;
    const abort = new AbortController();
    const last = requests[0]?.number ?? 0;
    setProblem(undefined);
    const onSeen = (seen: readonly SeenRequest[]) =>
      whenReleased(() => setRequests((former) => withSeen(former, seen)));
    // One that repeats is shown once, so that it is not read aloud at each try.
    const onRefused = (now: Problem | undefined) =>
      setRefused((former) => (former !== undefined && former.message === now?.message ? former : now));
    followRequests(last, abort.signal, { onSeen, onRefused }).catch((error: unknown) => {
      if (!abort.signal.aborted) setProblem(asProblem(error));
    });
    return () => {
      abort.abort();
      setRefused(undefined);
    };
  }, [isPaused]);
  const shown = requests.filter(({ status }) => kind === 'all' || status === null || status >= FIRST_ERROR);
  return (
    <section>
      <PartHead title="Requests">
        <span class="tools">
          <Choices label="Which requests" choices={KINDS} chosen={kind} onChoose={setKind} />
          <button type="button" class="small" onClick={() => setPaused(!isPaused)}>
            {isPaused ? 'Go on' : 'Pause'}
          </button>
        </span>
      </PartHead>
      <ErrorBox problem={problem ?? refused}>
        {problem === undefined && <p>The page asks again every few seconds, and goes on by itself.</p>}
      </ErrorBox>
      {shown.length === 0 ? (
        <Empty title="No requests yet.">
          They appear here as they end. Those of this console's own pages on indexes count, too.
        </Empty>
      ) : (
        <Table
          rows={shown}
          keyOf={({ number }) => String(number)}
          columns={[
            {
              title: 'Time',
              cell: ({ at }) => <span class="whole">{new Date(at).toLocaleTimeString()}</span>,
            },
            { title: 'Request', kind: 'long', cell: ({ method, route }) => `${method} ${route}` },
            { title: 'Index', cell: ({ index }) => index ?? '–' },
            { title: 'Status', cell: ({ status }) => <Status code={status} /> },
            { title: 'Took', kind: 'number', cell: ({ ms }) => milliseconds(ms) },
            { title: 'Reason', kind: 'long', cell: ({ reason }) => <bdi>{reason ?? ''}</bdi> },
            {
              title: 'Request id',
              kind: 'actions',
              cell: (request) => <CopyButton text={request.request_id} label="Copy the id" />,
              note: (request) => `${request.request_id}, by ${request.principal_id}`,
            },
          ]}
        />
      )}
    </section>
  );
}

/** The newest first. Numbers that go down are those of a server that has started anew: only they are kept. */
function withSeen(former: readonly SeenRequest[], seen: readonly SeenRequest[]): readonly SeenRequest[] {
  const known = new Set(former.map((each) => each.request_id));
  const fresh = seen.filter((each) => !known.has(each.request_id));
  const isAnew = (fresh[0]?.number ?? Number.POSITIVE_INFINITY) <= (former[0]?.number ?? -1);
  return [...fresh.reverse(), ...(isAnew ? [] : former)].slice(0, SHOWN_MAX);
}

function Status({ code }: { readonly code: number | null }) {
  if (code === null) return <span class="state bad">cut off</span>;
  return <span class={`state ${code < FIRST_ERROR ? 'good' : 'bad'}`}>{code}</span>;
}
