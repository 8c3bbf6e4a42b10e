// Adds a condition to a filter: a field, an operator, and a value with the frequent ones offered.
import { useId, useState } from 'preact/hooks';
import type { FacetCounts, Index } from '../../api/types.ts';
import { Select } from '../../ui/field.tsx';
import { useResource } from '../../ui/resource.ts';
import { conditionOf, OPERATORS, TEXT_OPERATORS } from './filter.ts';
import { textFieldsOf } from './index-kind.ts';
import { readFacet } from './record-pages.ts';

interface ConditionFormProps {
  readonly index: Index;
  readonly namespace: string;
  /** Of the records whose values are offered; empty for now. */
  readonly asOf: string;
  readonly filter: string;
  /** The fields that filters can use. */
  readonly fields: readonly string[];
  readonly onAdd: (field: string, condition: unknown) => void;
}

export function ConditionForm({ index, namespace, asOf, filter, fields, onAdd }: ConditionFormProps) {
  const texts = textFieldsOf(index);
  const all = [...fields, ...texts];
  const [chosen, setField] = useState('');
  const [operator, setOperator] = useState('');
  const [value, setValue] = useState('');
  const field = all.includes(chosen) ? chosen : (all[0] ?? '');
  const operators = texts.includes(field) ? TEXT_OPERATORS : OPERATORS;
  const used = operators.find((each) => each.value === operator) ?? operators[0];
  const isCounted = field !== '' && !texts.includes(field);
  const key = isCounted ? `values ${index.name} ${namespace} ${asOf} ${filter} ${field}` : '';
  const counted = useResource(key, (signal) =>
    readFacet(index.name, { namespace, filter, asOf }, field, signal),
  );
  if (used === undefined || field === '')
    return <p class="quiet">The records have no metadata to filter by.</p>;
  const add = (event: Event) => {
    event.preventDefault();
    const offered = counted.value?.values.map(({ value: each }) => each) ?? [];
    onAdd(field, conditionOf(used.value, value, offered));
    setValue('');
  };
  return (
    <form class="condition" onSubmit={add}>
      <Select
        label="Field"
        value={field}
        choices={all.map((name) => ({ value: name, text: name }))}
        onValue={setField}
      />
      <Select label="Condition" value={used.value} choices={operators} onValue={setOperator} />
      {used.takes !== 'none' && (
        <ValueInput
          key={field}
          value={value}
          offered={counted.value?.values ?? []}
          hint={used.takes === 'many' ? 'Separated by commas' : undefined}
          onValue={(typed) => {
            setValue(typed);
            // A field that was offered stays the one that the value is for, whatever is read later.
            setField(field);
          }}
        />
      )}
      <button
        type="submit"
        class="field-action"
        // Until its values are read, nobody knows the type of a field.
        disabled={used.takes !== 'none' && (value === '' || (isCounted && counted.isLoading))}
      >
        Add the condition
      </button>
    </form>
  );
}

interface ValueInputProps {
  readonly value: string;
  readonly offered: FacetCounts['values'];
  readonly hint: string | undefined;
  readonly onValue: (value: string) => void;
}

function ValueInput({ value, offered, hint, onValue }: ValueInputProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Value</label>
      <input
        id={id}
        list={`${id}-list`}
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <datalist id={`${id}-list`}>
        {offered.map(({ value: each, count }) => (
          <option key={String(each)} value={String(each)}>
            {count} records
          </option>
        ))}
      </datalist>
      <p class="quiet">{hint}</p>
    </div>
  );
}
