// How far an import is, and the rows that were refused with the reasons.
import type { Index } from '../../api/types.ts';
import { hrefOf } from '../../router.ts';
import { count, plural } from '../../ui/format.ts';
import { saveText } from '../../ui/save-file.ts';
import { Table } from '../../ui/table.tsx';
import type { Progress } from './run-import.ts';

const SHOWN_MAX = 50;
const MINUTE_SECONDS = 60;

interface ImportProgressProps {
  readonly index: Index;
  readonly namespace: string;
  readonly progress: Progress;
  readonly state: 'idle' | 'running' | 'done' | 'stopped';
}

export function ImportProgress({ index, namespace, progress, state }: ImportProgressProps) {
  const { share, stored, refused, errors, seconds } = progress;
  const rate = seconds === 0 ? 0 : Math.round((stored + refused) / seconds);
  const left = share === 0 ? 0 : (seconds * (1 - share)) / share;
  return (
    <>
      <p role="status">
        <progress max={1} value={share} aria-label="Progress of the import" /> {ENDS[state]}
        {plural(stored, 'record')} stored, {count(refused)} refused, {count(rate)} rows a second
        {state === 'running' && `, ${timeText(left)} left`}
      </p>
      {state !== 'running' && (
        <p>
          <a href={hrefOf(['indexes', index.name], { ns: namespace })}>Look at the records</a>
        </p>
      )}
      {errors.length > 0 && (
        <>
          <Table
            rows={errors.slice(0, SHOWN_MAX)}
            keyOf={({ row }) => String(row)}
            columns={[
              { title: 'Row', kind: 'number', cell: ({ row }) => count(row) },
              { title: 'Why it was refused', kind: 'long', cell: ({ reason }) => reason },
            ]}
          />
          <p class="tools below">
            <button
              type="button"
              class="small"
              onClick={() =>
                saveText('refused-rows.jsonl', errors.map((each) => JSON.stringify(each)).join('\n'))
              }
            >
              Save the {plural(errors.length, 'refused row')}
            </button>
          </p>
        </>
      )}
    </>
  );
}

const ENDS = { idle: '', running: '', done: 'Done: ', stopped: 'Stopped: ' };

function timeText(seconds: number): string {
  if (seconds < MINUTE_SECONDS) return `${Math.ceil(seconds)} s`;
  return `${Math.ceil(seconds / MINUTE_SECONDS)} min`;
}
