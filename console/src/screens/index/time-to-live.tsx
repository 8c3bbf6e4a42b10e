// When the records of an index expire: shown, set and ended.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox, Shown } from '../../ui/feedback.tsx';
import { Input, TextArea } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { useResource } from '../../ui/resource.ts';
import { useTask } from '../../ui/task.ts';

interface TimeToLive {
  /** Null where records do not expire. */
  readonly field: string | null;
  readonly seconds: number | null;
  readonly namespaces: Readonly<Record<string, number | null>>;
}

const EVER = 'ever';

export function TimeToLivePart({ name }: { readonly name: string }) {
  const [isEditing, setEditing] = useState(false);
  const path = pathOf(name);
  const ttl = useResource(path, (signal) => call<TimeToLive>('GET', path, { signal }));
  const task = useTask();
  const end = () =>
    task.run(async () => {
      await call('DELETE', path);
      ttl.reload();
    });
  return (
    <section class="part">
      <h2>Time to live</h2>
      <Shown of={ttl}>
        {(value) => (
          <>
            <p>{textOf(value)}</p>
            <ErrorBox problem={task.problem} />
            {may('control_plane::indexes::configure') && (
              <div class="tools below">
                <button type="button" class="small" onClick={() => setEditing(true)}>
                  {value.field === null ? 'Let records expire' : 'Change the time to live'}
                </button>
                {value.field !== null && (
                  <button type="button" class="small" disabled={task.isRunning} onClick={end}>
                    Let records live for ever
                  </button>
                )}
              </div>
            )}
            {isEditing && (
              <Editor path={path} ttl={value} onClose={() => setEditing(false)} onSaved={ttl.reload} />
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

interface EditorProps {
  readonly path: string;
  readonly ttl: TimeToLive;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

function Editor({ path, ttl, onClose, onSaved }: EditorProps) {
  const [field, setField] = useState(ttl.field ?? 'expires_at');
  const [seconds, setSeconds] = useState(`${ttl.seconds ?? ''}`);
  const [namespaces, setNamespaces] = useState(linesOf(ttl.namespaces));
  const task = useTask();
  const save = async (event: Event) => {
    event.preventDefault();
    const isSaved = await task.run(async () => {
      await setTimeToLive(path, { field, seconds, namespaces });
      onSaved();
    });
    if (isSaved) onClose();
  };
  return (
    <Dialog title="Time to live" onClose={onClose}>
      <form onSubmit={save}>
        <Input
          label="Expiry field"
          hint="Holds the moment at which a record expires, in seconds since 1970"
          value={field}
          onValue={setField}
          required
          spellcheck={false}
          autofocus
        />
        <Input
          label="Lifetime in seconds"
          hint="Of records without a moment, from their upsert on; empty for ever"
          type="number"
          min="1"
          value={seconds}
          onValue={setSeconds}
        />
        <TextArea
          label="Lifetimes of namespaces"
          hint={`One a line, as in sessions=3600 or archive=${EVER}`}
          value={namespaces}
          onValue={setNamespaces}
          isCode
        />
        <ErrorBox problem={task.problem} />
        <FormActions action="Save" disabled={task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

/** Sets when the records of an index expire, from what a person typed. */
async function setTimeToLive(
  path: string,
  given: { readonly field: string; readonly seconds: string; readonly namespaces: string },
): Promise<void> {
  const lines = given.namespaces.split('\n').filter((line) => line.trim() !== '');
  const namespaces = Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf('=');
      if (at <= 0) throw new Error(`Expected NAMESPACE=SECONDS, got '${line}'.`);
      return [line.slice(0, at).trim(), secondsOf(line.slice(at + 1))] as const;
    }),
  );
  await call('PUT', path, { body: { field: given.field, seconds: secondsOf(given.seconds), namespaces } });
}

function secondsOf(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === EVER) return null;
  if (!/^\d+$/.test(trimmed)) throw new Error(`Expected whole seconds or '${EVER}', got '${trimmed}'.`);
  return Number(trimmed);
}

/** @returns the path of the setting of an index */
function pathOf(name: string): string {
  return `indexes/${encodeURIComponent(name)}/ttl`;
}

function linesOf(namespaces: TimeToLive['namespaces']): string {
  return Object.entries(namespaces)
    .map(([name, seconds]) => `${name}=${seconds ?? EVER}`)
    .join('\n');
}

function textOf({ field, seconds, namespaces }: TimeToLive): string {
  if (field === null) return 'Records live for ever.';
  const lasting = (value: number | null) => (value === null ? 'for ever' : `${value} seconds`);
  const own = Object.entries(namespaces).map(([name, value]) => `, in ${name} ${lasting(value)}`);
  return `Records expire at the moment in ${field}. Without one they live ${lasting(seconds)}${own.join('')}.`;
}
