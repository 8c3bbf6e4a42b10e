// Changes or deletes the records that a filter selects: counts them first, then asks.
import { useState } from 'preact/hooks';
import { UPDATE_BY_FILTER_RECORDS_MAX } from '../../../../src/domain/limits.ts';
import { callIndex } from '../../api/call.ts';
import type { BrowsedPage, Index } from '../../api/types.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { TextArea } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { count, plural } from '../../ui/format.ts';
import { useTask } from '../../ui/task.ts';
import { metadataProblem } from './metadata.ts';
import { deleteRecords, updateMatching } from './save-fields.ts';
import { WayBack } from './way-back.tsx';

export interface ChangeMatchingProps {
  readonly index: Index;
  readonly namespace: string;
  readonly filter: string;
  readonly onChanged: () => void;
}

/** What was counted, and so what may be changed: the page behind the dialog may turn to another filter. */
interface Counted {
  readonly action: 'delete' | 'update';
  readonly namespace: string;
  readonly filter: string;
  readonly records: number;
}

export function ChangeMatching({ index, namespace, filter, onChanged }: ChangeMatchingProps) {
  const [counted, setCounted] = useState<Counted>();
  const task = useTask();
  const start = (action: Counted['action']) =>
    task.run(async () => {
      const path = `records/namespaces/${encodeURIComponent(namespace)}/browse`;
      const body = { filter: JSON.parse(filter), limit: 1 };
      const { body: page } = await callIndex<BrowsedPage>(index.name, 'POST', path, { body });
      setCounted({ action, namespace, filter, records: page.total ?? 0 });
    });
  const close = () => setCounted(undefined);
  return (
    <>
      <span class="tools">
        <button type="button" class="small" disabled={task.isRunning} onClick={() => start('update')}>
          Change all that match
        </button>
        <button type="button" class="danger small" disabled={task.isRunning} onClick={() => start('delete')}>
          Delete all that match
        </button>
      </span>
      <ErrorBox problem={task.problem} />
      {counted?.action === 'delete' && (
        <Confirm
          title={`Delete ${plural(counted.records, 'record')}`}
          name={String(counted.records)}
          action="Delete"
          onConfirm={async (action) => {
            await deleteRecords(index, counted.namespace, { filter: JSON.parse(counted.filter) }, action);
            onChanged();
          }}
          onClose={close}
        >
          <Matched {...counted} /> <WayBack index={index} />
        </Confirm>
      )}
      {counted?.action === 'update' && counted.records > UPDATE_BY_FILTER_RECORDS_MAX && (
        <TooManyDialog {...counted} onClose={close} />
      )}
      {counted?.action === 'update' && counted.records <= UPDATE_BY_FILTER_RECORDS_MAX && (
        <UpdateDialog {...{ index, counted, onChanged }} onClose={close} />
      )}
    </>
  );
}

function Matched({ namespace, filter, records }: Counted) {
  return (
    <>
      The filter <code class="break">{filter}</code> matches {plural(records, 'record')} of the namespace{' '}
      <code class="break">{namespace}</code> now.
    </>
  );
}

/** An update stops at its limit, and the same filter would begin with the same records again. */
function TooManyDialog({ onClose, ...counted }: Counted & { readonly onClose: () => void }) {
  return (
    <Dialog title="Too many records to change" onClose={onClose}>
      <p>
        <Matched {...counted} /> One update changes up to {count(UPDATE_BY_FILTER_RECORDS_MAX)}. Narrow the
        filter, for example to records that do not have the new value yet.
      </p>
      <div class="actions">
        <button type="button" class="main" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

interface UpdateDialogProps {
  readonly index: Index;
  readonly counted: Counted;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

function UpdateDialog({ index, counted, onChanged, onClose }: UpdateDialogProps) {
  const { namespace, filter, records } = counted;
  const [text, setText] = useState('{}');
  const [changed, setChanged] = useState<number>();
  const task = useTask();
  const problem = metadataProblem(text);
  const isEmpty = problem === undefined && Object.keys(JSON.parse(text)).length === 0;
  const update = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      setChanged(await updateMatching(index, namespace, JSON.parse(filter), JSON.parse(text)));
      onChanged();
    });
  };
  if (changed !== undefined) {
    return (
      <Dialog title="Changed" onClose={onClose}>
        <p role="status">{plural(changed, 'record')} changed.</p>
        <div class="actions">
          <button type="button" class="main" onClick={onClose}>
            Done
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={`Change ${plural(records, 'record')}`} onClose={onClose}>
      <form onSubmit={update}>
        <p>
          <Matched {...counted} /> Their other fields stay.
        </p>
        <TextArea label="Fields to set" value={text} onValue={setText} error={problem} rows={6} isCode />
        <ErrorBox problem={task.problem} />
        <FormActions
          action="Change them"
          disabled={problem !== undefined || isEmpty || task.isRunning}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}
