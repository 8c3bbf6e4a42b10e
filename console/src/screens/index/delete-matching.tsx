// Deletes the records that a filter selects: counts them first, then asks.
import { useState } from 'preact/hooks';
import { callIndex } from '../../api/call.ts';
import type { Stats } from '../../api/types.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { plural } from '../../ui/format.ts';
import { useTask } from '../../ui/task.ts';

export interface DeleteMatchingProps {
  readonly index: string;
  readonly namespace: string;
  readonly filter: string;
  readonly onDeleted: () => void;
}

export function DeleteMatching({ index, namespace, filter, onDeleted }: DeleteMatchingProps) {
  const [matching, setMatching] = useState<number>();
  const task = useTask();
  const countThem = () =>
    task.run(async () => {
      const body = { filter: JSON.parse(filter) };
      const { body: stats } = await callIndex<Stats>(index, 'POST', 'describe_index_stats', { body });
      setMatching(stats.namespaces[namespace]?.vectorCount ?? 0);
    });
  const remove = async () => {
    const body = { namespace, filter: JSON.parse(filter) };
    await callIndex(index, 'POST', 'vectors/delete', { body });
    onDeleted();
  };
  return (
    <>
      <button type="button" class="danger small" disabled={task.isRunning} onClick={countThem}>
        Delete all that match
      </button>
      <ErrorBox problem={task.problem} />
      {matching !== undefined && (
        <Confirm
          title={`Delete ${plural(matching, 'record')}`}
          name={String(matching)}
          action="Delete"
          onConfirm={remove}
          onClose={() => setMatching(undefined)}
        >
          The filter matches {plural(matching, 'record')} of the namespace <code>{namespace}</code> now.
          Deleting cannot be undone.
        </Confirm>
      )}
    </>
  );
}
