// The fields of one configuration of the search bench.
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { Input, Select } from '../../ui/field.tsx';
import { useFollowing } from '../../ui/following.ts';
import { useResource } from '../../ui/resource.ts';
import { filterProblem } from '../index/filter.ts';
import { textFieldOf } from '../index/index-kind.ts';
import type { Configuration, Mode } from './search-request.ts';

const TOP_K_MAX = 10_000;

export interface ConfigurationFieldsProps {
  readonly index: Index;
  readonly mode: Mode;
  readonly configuration: Configuration;
  readonly onChange: (configuration: Configuration) => void;
}

interface Models {
  readonly models: readonly { readonly model: string; readonly type: string }[];
}

/** What `top_k` may be. */
function isTopK(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= TOP_K_MAX;
}

export function ConfigurationFields({ index, mode, configuration, onChange }: ConfigurationFieldsProps) {
  // A link or the back button may change both; spaces around a filter do not count.
  const [filter, setFilter] = useFollowing<string>(configuration.filter, (typed) =>
    typed?.trim() === configuration.filter ? typed : configuration.filter,
  );
  const [topK, setTopK] = useFollowing(configuration.topK, () => configuration.topK);
  const problem = filterProblem(filter);
  const canRerank = mode === 'text' && textFieldOf(index) !== undefined && may('data_plane::inference::use');
  const rerankers = useResource(canRerank ? 'rerankers' : '', async (signal) => {
    const { models } = await call<Models>('GET', 'models', { signal });
    return models.filter(({ type }) => type === 'rerank').map(({ model }) => ({ value: model, text: model }));
  });
  return (
    <div class="bench-form">
      <Input
        label="Results"
        type="number"
        min="1"
        max="10000"
        value={topK}
        error={isTopK(topK) || topK === '' ? undefined : 'A whole number from 1 to 10,000'}
        onValue={(text) => {
          setTopK(text);
          if (isTopK(text)) onChange({ ...configuration, topK: text });
        }}
      />
      <Input
        label="Filter"
        placeholder='{"field": {"$eq": "value"}}'
        value={filter}
        error={problem}
        onValue={(text) => {
          setFilter(text);
          if (filterProblem(text) === undefined) onChange({ ...configuration, filter: text.trim() });
        }}
        autocomplete="off"
        spellcheck={false}
      />
      {canRerank && (
        <Select
          label="Rerank by"
          value={configuration.rerank}
          choices={[{ value: '', text: 'No model' }, ...(rerankers.value ?? [])]}
          onValue={(rerank) => onChange({ ...configuration, rerank })}
        />
      )}
    </div>
  );
}
