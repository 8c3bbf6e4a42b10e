// A setting of an index with an endpoint of its own: shown, set and ended.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox, Shown } from '../../ui/feedback.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { useResource } from '../../ui/resource.ts';
import { useTask } from '../../ui/task.ts';

interface IndexSettingProps<Value> {
  readonly index: string;
  /** The setting is at `indexes/{index}/{segment}`. */
  readonly segment: string;
  readonly title: string;
  readonly textOf: (value: Value) => string;
  /** False where the index has what all have. */
  readonly isSet: (value: Value) => boolean;
  readonly actions: { readonly set: string; readonly change: string; readonly end: string };
  readonly editor: (props: EditorProps<Value>) => ComponentChildren;
}

export interface EditorProps<Value> {
  readonly path: string;
  readonly value: Value;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function IndexSettingPart<Value>({ index, segment, title, ...rest }: IndexSettingProps<Value>) {
  const { textOf, isSet, actions, editor: Editor } = rest;
  const [isEditing, setEditing] = useState(false);
  const path = `indexes/${encodeURIComponent(index)}/${segment}`;
  const setting = useResource(path, (signal) => call<Value>('GET', path, { signal }));
  const task = useTask();
  const end = () =>
    task.run(async () => {
      await call('DELETE', path);
      setting.reload();
    });
  return (
    <section class="part">
      <h2>{title}</h2>
      <Shown of={setting}>
        {(value) => (
          <>
            <p>{textOf(value)}</p>
            <ErrorBox problem={task.problem} />
            {may('control_plane::indexes::configure') && (
              <div class="tools below">
                <button type="button" class="small" onClick={() => setEditing(true)}>
                  {isSet(value) ? actions.change : actions.set}
                </button>
                {isSet(value) && (
                  <button type="button" class="small" disabled={task.isRunning} onClick={end}>
                    {actions.end}
                  </button>
                )}
              </div>
            )}
            {isEditing && (
              <Editor path={path} value={value} onClose={() => setEditing(false)} onSaved={setting.reload} />
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

/** The dialog of a setting: its fields, and a button that saves what `bodyOf` makes of them. */
export function SettingDialog({
  title,
  path,
  bodyOf,
  onClose,
  onSaved,
  children,
}: Pick<EditorProps<unknown>, 'path' | 'onClose' | 'onSaved'> & {
  readonly title: string;
  /** What is sent. @throws Error on what makes no sense */
  readonly bodyOf: () => object;
  readonly children: ComponentChildren;
}) {
  const task = useTask();
  const save = async (event: Event) => {
    event.preventDefault();
    const isSaved = await task.run(async () => {
      await call('PUT', path, { body: bodyOf() });
      onSaved();
    });
    if (isSaved) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={save}>
        {children}
        <ErrorBox problem={task.problem} />
        <FormActions action="Save" disabled={task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
