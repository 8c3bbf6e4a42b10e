// The recall that an index promises beside what audits have shown: shown, set and ended.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox, Shown } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { useResource } from '../../ui/resource.ts';
import { useTask } from '../../ui/task.ts';

interface Recall {
  /** Null where the index promises no more than usual. */
  readonly recall: number | null;
  readonly audited: { readonly recall: number; readonly low: number; readonly high: number } | null;
  readonly state: 'held' | 'broken' | 'undecided' | null;
}

const STATES = {
  held: 'The promise is held.',
  broken: 'The promise is broken; the effort rises until it is held.',
  undecided: 'Whether it is held, too few audits tell yet.',
} as const;

export function RecallPromisePart({ name }: { readonly name: string }) {
  const [isEditing, setEditing] = useState(false);
  const path = `indexes/${encodeURIComponent(name)}/recall`;
  const recall = useResource(path, (signal) => call<Recall>('GET', path, { signal }));
  const task = useTask();
  const end = () =>
    task.run(async () => {
      await call('DELETE', path);
      recall.reload();
    });
  return (
    <section class="part">
      <h2>Recall</h2>
      <Shown of={recall}>
        {(value) => (
          <>
            <p>{textOf(value)}</p>
            <ErrorBox problem={task.problem} />
            {may('control_plane::indexes::configure') && (
              <div class="tools below">
                <button type="button" class="small" onClick={() => setEditing(true)}>
                  {value.recall === null ? 'Promise a recall' : 'Change the promise'}
                </button>
                {value.recall !== null && (
                  <button type="button" class="small" disabled={task.isRunning} onClick={end}>
                    Promise the usual recall
                  </button>
                )}
              </div>
            )}
            {isEditing && (
              <Editor
                path={path}
                recall={value.recall}
                onClose={() => setEditing(false)}
                onSaved={recall.reload}
              />
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

interface EditorProps {
  readonly path: string;
  readonly recall: number | null;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

function Editor({ path, recall, onClose, onSaved }: EditorProps) {
  const [typed, setTyped] = useState(`${recall ?? 0.99}`);
  const task = useTask();
  const save = async (event: Event) => {
    event.preventDefault();
    const isSaved = await task.run(async () => {
      await call('PUT', path, { body: { recall: Number(typed) } });
      onSaved();
    });
    if (isSaved) onClose();
  };
  return (
    <Dialog title="Recall" onClose={onClose}>
      <form onSubmit={save}>
        <Input
          label="Promised recall"
          hint="The share of the true best among the results, 0.9 to 0.999"
          value={typed}
          onValue={setTyped}
          required
          autofocus
        />
        <ErrorBox problem={task.problem} />
        <FormActions action="Save" disabled={task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function textOf({ recall, audited, state }: Recall): string {
  const promise =
    recall === null
      ? 'The index promises the usual recall.'
      : `The index promises a recall of ${percent(recall)}.`;
  const shown =
    audited === null
      ? 'There were too few audits, as where searches are exact.'
      : `Audits have shown ${percent(audited.recall)}; with 95 % confidence it is ${percent(audited.low)} to ${percent(audited.high)}.`;
  return `${promise} ${shown} ${state === null || audited === null ? '' : STATES[state]}`.trimEnd();
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
