// Makes a new index that has what this one had at a moment of the recovery log, and shows how far that is.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { hrefOf } from '../../router.ts';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { useRefresh } from '../../ui/refresh.ts';
import { useResource } from '../../ui/resource.ts';
import { isBusy, State } from '../../ui/state.tsx';
import { useTask } from '../../ui/task.ts';

interface Recoverable {
  readonly enabled: boolean;
  readonly spans: readonly { readonly from_time: string; readonly to_time: string }[];
}

interface Recovery {
  readonly recovery_id: string;
  readonly source_index_id: string;
  readonly target_index_name: string;
  readonly time: string;
  readonly status: string;
  readonly percent_complete: number;
  readonly error?: string;
}

interface Known {
  readonly recoverable: Recoverable & { readonly index_id: string };
  readonly recoveries: readonly Recovery[];
}

const REFRESH_MS = 1_000;
const SHOWN_MAX = 5;

export function RecoverIndex({ index }: { readonly index: Index }) {
  const mayRead = may('control_plane::restore_jobs::list');
  const path = `indexes/${encodeURIComponent(index.name)}/recoveries`;
  const known = useResource(mayRead ? path : '', (signal) => readKnown(path, signal));
  const isRunning = known.value?.recoveries.some(({ status }) => isBusy(status)) ?? false;
  useRefresh(known.refresh, REFRESH_MS, isRunning);
  const { recoverable, recoveries = [] } = known.value ?? {};
  if (!mayRead || recoverable?.enabled !== true) return null;
  return (
    <section aria-label="Recover">
      <h2>Recover as a new index</h2>
      {recoverable.spans.length === 0 && <p>Nothing of this index was shipped to the recovery log so far.</p>}
      {recoverable.spans.map(({ from_time: from, to_time: to }) => (
        <p key={from}>
          Any moment from {from} to {to}.
        </p>
      ))}
      {may('control_plane::indexes::create') && recoverable.spans.length > 0 && (
        <RecoveryForm
          index={index.name}
          path={path}
          last={recoverable.spans.at(-1)?.to_time ?? ''}
          onStarted={known.reload}
        />
      )}
      {recoveries.map((each) => (
        <p key={each.recovery_id} role="status">
          <State name={each.status} />{' '}
          <a href={hrefOf(['indexes', each.target_index_name])}>{each.target_index_name}</a> as of {each.time}
          {isBusy(each.status) && `: ${Math.floor(each.percent_complete)} %`}
          {each.error !== undefined && `: ${each.error}`}
        </p>
      ))}
    </section>
  );
}

interface FormProps {
  readonly index: string;
  readonly path: string;
  /** The last moment that can be recovered. */
  readonly last: string;
  readonly onStarted: () => void;
}

function RecoveryForm({ index, path, last, onStarted }: FormProps) {
  const [name, setName] = useState(`${index}-recovered`);
  const [moment, setMoment] = useState(last);
  const task = useTask();
  const recover = async (event: Event) => {
    event.preventDefault();
    if (await task.run(() => call<void>('POST', path, { body: { name, time: moment } }))) onStarted();
  };
  return (
    <form onSubmit={recover}>
      <Input
        label="Moment (RFC 3339)"
        value={moment}
        onValue={setMoment}
        required
        autocomplete="off"
        spellcheck={false}
      />
      <Input
        label="Name of the new index"
        value={name}
        onValue={setName}
        required
        autocomplete="off"
        spellcheck={false}
      />
      <ErrorBox problem={task.problem} />
      <button type="submit" class="main" disabled={task.isRunning}>
        Recover
      </button>
    </form>
  );
}

async function readKnown(path: string, signal: AbortSignal): Promise<Known> {
  const [recoverable, { data }] = await Promise.all([
    call<Known['recoverable']>('GET', path, { signal }),
    call<{ readonly data: readonly Recovery[] }>('GET', 'recoveries', { query: { limit: '100' }, signal }),
  ]);
  const own = data.filter(({ source_index_id: id }) => id === recoverable.index_id);
  return { recoverable, recoveries: own.slice(0, SHOWN_MAX) };
}
