// When the records of an index expire: shown, set and ended.
import { useState } from 'preact/hooks';
import { Input, TextArea } from '../../ui/field.tsx';
import { type EditorProps, IndexSettingPart, SettingDialog } from './index-setting.tsx';

interface TimeToLive {
  /** Null where records do not expire. */
  readonly field: string | null;
  readonly seconds: number | null;
  readonly namespaces: Readonly<Record<string, number | null>>;
}

const EVER = 'ever';

export function TimeToLivePart({ name }: { readonly name: string }) {
  return (
    <IndexSettingPart<TimeToLive>
      index={name}
      segment="ttl"
      title="Time to live"
      textOf={textOf}
      isSet={({ field }) => field !== null}
      actions={{
        set: 'Let records expire',
        change: 'Change the time to live',
        end: 'Let records live for ever',
      }}
      editor={Editor}
    />
  );
}

function Editor({ value, ...rest }: EditorProps<TimeToLive>) {
  const [field, setField] = useState(value.field ?? 'expires_at');
  const [seconds, setSeconds] = useState(`${value.seconds ?? ''}`);
  const [namespaces, setNamespaces] = useState(linesOf(value.namespaces));
  const bodyOf = () => ({ field, seconds: secondsOf(seconds), namespaces: namespacesOf(namespaces) });
  return (
    <SettingDialog title="Time to live" bodyOf={bodyOf} {...rest}>
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
    </SettingDialog>
  );
}

/** The lifetimes of namespaces, from what a person typed. */
function namespacesOf(text: string): TimeToLive['namespaces'] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf('=');
      if (at <= 0) throw new Error(`Expected NAMESPACE=SECONDS, got '${line}'.`);
      return [line.slice(0, at).trim(), secondsOf(line.slice(at + 1))] as const;
    }),
  );
}

function secondsOf(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === EVER) return null;
  if (!/^\d+$/.test(trimmed)) throw new Error(`Expected whole seconds or '${EVER}', got '${trimmed}'.`);
  return Number(trimmed);
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
