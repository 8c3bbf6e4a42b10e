// Chooses the judgment set that takes the judgments of a search, or makes one.
import { useState } from 'preact/hooks';
import { may } from '../../api/session.ts';
import { hrefOf, setValues } from '../../router.ts';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Select } from '../../ui/field.tsx';
import { useSets } from './judgment-calls.ts';
import { SetForm } from './set-form.tsx';

interface JudgingChoiceProps {
  readonly index: string;
  readonly namespace: string;
  /** Empty for none. */
  readonly setId: string;
}

export function JudgingChoice({ index, namespace, setId }: JudgingChoiceProps) {
  const sets = useSets(index);
  const [isMaking, setMaking] = useState(false);
  const mayJudge = may('data_plane::vectors::write');
  const offered = sets.value?.filter((set) => set.namespace === namespace || set.id === setId) ?? [];
  if (!mayJudge && offered.length === 0) return null;
  const choices = offered.map(({ id, name }) => ({ value: id, text: name }));
  return (
    <>
      <div class="bench-form">
        <Select
          label="Judgments"
          value={setId}
          choices={[{ value: '', text: 'None' }, ...choices]}
          onValue={(set) => setValues({ set })}
        />
        <p class="field-action">
          {mayJudge && (
            <button type="button" class="small" onClick={() => setMaking(true)}>
              New judgment set
            </button>
          )}{' '}
          {setId !== '' && (
            <a href={hrefOf(['indexes', index], { tab: 'judgments', set: setId })}>Open the set</a>
          )}
        </p>
      </div>
      <ErrorBox problem={sets.problem} />
      {isMaking && (
        <SetForm
          index={index}
          namespace={namespace}
          onClose={() => setMaking(false)}
          onMade={({ id }) => {
            setValues({ set: id });
            sets.reload();
          }}
        />
      )}
    </>
  );
}
