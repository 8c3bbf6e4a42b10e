// The further clauses of a document search, to add, change and remove.
import { Input, Select } from '../../ui/field.tsx';
import type { Clause, ClauseChoice } from './clauses.ts';

interface ClauseFieldsProps {
  readonly choices: readonly ClauseChoice[];
  readonly clauses: readonly Clause[];
  readonly onChange: (clauses: readonly Clause[]) => void;
}

export function ClauseFields({ choices, clauses, onChange }: ClauseFieldsProps) {
  const [first] = choices;
  const texts = choices.map(({ kind, field, text }) => ({ value: `${kind} ${field}`, text }));
  if (first === undefined) return null;
  return (
    <>
      {clauses.map((clause, at) => (
        <div class="condition" key={at}>
          <Select
            label={`Clause ${at + 2}`}
            value={`${clause.kind} ${clause.field}`}
            choices={texts}
            onValue={(value) => {
              const chosen = choices.find(({ kind, field }) => `${kind} ${field}` === value) ?? first;
              const { kind, field } = chosen;
              onChange(clauses.map((each, i) => (i === at ? { ...each, kind, field } : each)));
            }}
          />
          <Input
            label={`Query of clause ${at + 2}`}
            value={clause.query}
            onValue={(query) => onChange(clauses.map((each, i) => (i === at ? { ...each, query } : each)))}
            autocomplete="off"
          />
          <button
            type="button"
            class="small field-action"
            onClick={() => onChange(clauses.filter((_, i) => i !== at))}
          >
            Remove clause {at + 2}
          </button>
        </div>
      ))}
      <p>
        <button
          type="button"
          class="small"
          onClick={() => onChange([...clauses, { kind: first.kind, field: first.field, query: '' }])}
        >
          Add a clause
        </button>
      </p>
    </>
  );
}
