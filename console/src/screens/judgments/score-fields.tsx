// The fields of one configuration of a score.
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { Input, Select } from '../../ui/field.tsx';
import { useResource } from '../../ui/resource.ts';
import { filterProblem } from '../index/filter.ts';
import { objectProblem, rankChoices, rankedField, type Typed } from './configuration.ts';

const RECALLS = [
  { value: '', text: 'As usual' },
  ...['0.9', '0.95', '0.99', '0.999'].map((value) => ({ value, text: value })),
];

interface ScoreFieldsProps {
  readonly title: string;
  readonly index: Index;
  readonly typed: Typed;
  readonly onTyped: (typed: Typed) => void;
}

interface Models {
  readonly models: readonly { readonly model: string; readonly type: string }[];
}

export function ScoreFields({ title, index, typed, onTyped }: ScoreFieldsProps) {
  const canRerank = rankedField(index) !== undefined && may('data_plane::inference::use');
  const rerankers = useResource(canRerank ? 'rerankers' : '', async (signal) => {
    const { models } = await call<Models>('GET', 'models', { signal });
    return models.filter(({ type }) => type === 'rerank').map(({ model }) => ({ value: model, text: model }));
  });
  const ranks = rankChoices(index);
  const set = (changed: Partial<Typed>) => onTyped({ ...typed, ...changed });
  return (
    <fieldset class="schema">
      <legend>{title}</legend>
      <div class="bench-form">
        {ranks.length > 0 && (
          <Select label="Rank by" value={typed.rank} choices={ranks} onValue={(rank) => set({ rank })} />
        )}
        <Select label="Recall" value={typed.recall} choices={RECALLS} onValue={(recall) => set({ recall })} />
        {canRerank && (
          <Select
            label="Rerank by"
            value={typed.rerank}
            choices={[{ value: '', text: 'No model' }, ...(rerankers.value ?? [])]}
            onValue={(rerank) => set({ rerank })}
          />
        )}
        <Input
          label="Candidates"
          hint="As many as count, by default"
          type="number"
          min="1"
          max="10000"
          value={typed.topK}
          onValue={(topK) => set({ topK })}
        />
        <Input
          label="Filter"
          placeholder='{"field": {"$eq": "value"}}'
          value={typed.filter}
          error={filterProblem(typed.filter)}
          onValue={(filter) => set({ filter })}
          autocomplete="off"
          spellcheck={false}
        />
        <Input
          label="Further settings"
          placeholder='{"scan_factor": 2}'
          value={typed.more}
          error={objectProblem(typed.more)}
          onValue={(more) => set({ more })}
          autocomplete="off"
          spellcheck={false}
        />
      </div>
    </fieldset>
  );
}
