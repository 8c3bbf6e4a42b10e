// The recall that an index promises beside what audits have shown: shown, set and ended.
import { useState } from 'preact/hooks';
import { Input } from '../../ui/field.tsx';
import { type EditorProps, IndexSettingPart, SettingDialog } from './index-setting.tsx';

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
  return (
    <IndexSettingPart<Recall>
      index={name}
      segment="recall"
      title="Recall"
      textOf={textOf}
      isSet={({ recall }) => recall !== null}
      actions={{ set: 'Promise a recall', change: 'Change the promise', end: 'Promise the usual recall' }}
      editor={Editor}
    />
  );
}

function Editor({ value, ...rest }: EditorProps<Recall>) {
  const [typed, setTyped] = useState(`${value.recall ?? 0.99}`);
  return (
    <SettingDialog title="Recall" bodyOf={() => ({ recall: Number(typed) })} {...rest}>
      <Input
        label="Promised recall"
        hint="The share of the true best among the results, 0.9 to 0.999"
        value={typed}
        onValue={setTyped}
        required
        autofocus
      />
    </SettingDialog>
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
