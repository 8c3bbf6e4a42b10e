// Designs the schema of a document index: its fields, each with the ways in which it is searched.
import { Input, Select } from '../../ui/field.tsx';

export interface SchemaRow {
  /** Tells rows apart, whatever their names. */
  readonly key: number;
  readonly name: string;
  readonly kind: 'words' | 'both' | 'meaning' | 'dense' | 'sparse';
  readonly language: string;
  readonly model: string;
  readonly dimension: string;
  readonly metric: string;
}

export function newRow(key: number): SchemaRow {
  const name = key === 0 ? 'text' : '';
  return { key, name, kind: 'words', language: 'en', model: '', dimension: '', metric: 'cosine' };
}

const KINDS = [
  { value: 'words', text: 'Text by words' },
  { value: 'both', text: 'Text by words, meaning' },
  { value: 'meaning', text: 'Text by meaning' },
  { value: 'dense', text: 'Dense vector' },
  { value: 'sparse', text: 'Sparse vector' },
] as const;
const LANGUAGES = [
  ['ar', 'Arabic'],
  ['da', 'Danish'],
  ['de', 'German'],
  ['el', 'Greek'],
  ['en', 'English'],
  ['es', 'Spanish'],
  ['fi', 'Finnish'],
  ['fr', 'French'],
  ['hu', 'Hungarian'],
  ['it', 'Italian'],
  ['nl', 'Dutch'],
  ['no', 'Norwegian'],
  ['pt', 'Portuguese'],
  ['ro', 'Romanian'],
  ['ru', 'Russian'],
  ['sv', 'Swedish'],
  ['ta', 'Tamil'],
  ['tr', 'Turkish'],
].map(([value = '', text = '']) => ({ value, text }));
const METRICS = ['cosine', 'dotproduct', 'euclidean'].map((value) => ({ value, text: value }));

interface SchemaFieldsProps {
  readonly rows: readonly SchemaRow[];
  readonly models: readonly { readonly value: string; readonly text: string }[];
  readonly onChange: (rows: readonly SchemaRow[]) => void;
}

export function SchemaFields({ rows, models, onChange }: SchemaFieldsProps) {
  const set = (key: number, changed: Partial<SchemaRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...changed } : row)));
  return (
    <fieldset class="schema">
      <legend>Fields</legend>
      {rows.map((row) => (
        <div class="schema-row" key={row.key}>
          <Input
            label="Field"
            value={row.name}
            onValue={(name) => set(row.key, { name })}
            required
            autocomplete="off"
            spellcheck={false}
          />
          <Select
            label="Kind"
            value={row.kind}
            choices={KINDS}
            onValue={(kind) =>
              set(row.key, { kind: KINDS.find(({ value }) => value === kind)?.value ?? 'words' })
            }
          />
          <Details row={row} models={models} set={(changed) => set(row.key, changed)} />
          <button
            type="button"
            class="small field-action"
            aria-label={`Remove the field ${row.name}`}
            disabled={rows.length === 1}
            onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
          >
            Remove
          </button>
        </div>
      ))}
      <button
        type="button"
        class="small"
        onClick={() => onChange([...rows, newRow(Math.max(...rows.map(({ key }) => key)) + 1)])}
      >
        Add a field
      </button>
      <p class="quiet">
        One field takes the dense vector, its own or that of a text, and one the sparse vector. Everything
        else in a document is metadata. The fields never change.
      </p>
    </fieldset>
  );
}

interface DetailsProps {
  readonly row: SchemaRow;
  readonly models: SchemaFieldsProps['models'];
  readonly set: (changed: Partial<SchemaRow>) => void;
}

function Details({ row, models, set }: DetailsProps) {
  const hasWords = row.kind === 'words' || row.kind === 'both';
  const hasModel = row.kind === 'both' || row.kind === 'meaning';
  return (
    <>
      {hasWords && (
        <Select
          label="Language"
          value={row.language}
          choices={LANGUAGES}
          onValue={(language) => set({ language })}
        />
      )}
      {hasModel && (
        <Select label="Model" value={row.model} choices={models} onValue={(model) => set({ model })} />
      )}
      {row.kind === 'dense' && (
        <>
          <Input
            label="Dimension"
            type="number"
            min="1"
            max="20000"
            value={row.dimension}
            onValue={(dimension) => set({ dimension })}
            required
          />
          <Select label="Metric" value={row.metric} choices={METRICS} onValue={(metric) => set({ metric })} />
        </>
      )}
    </>
  );
}

/** The schema as the interface takes it. @param model of rows that name none */
export function schemaOf(rows: readonly SchemaRow[], model: string): object {
  return { fields: Object.fromEntries(rows.map((row) => [row.name, fieldOf(row, row.model || model)])) };
}

function fieldOf({ kind, language, dimension, metric }: SchemaRow, model: string): object {
  const words = { language, stemming: true };
  switch (kind) {
    case 'words':
      return { type: 'string', full_text_search: words };
    case 'both':
      return { type: 'string', full_text_search: words, embed: { model } };
    case 'meaning':
      return { type: 'string', store_text: false, embed: { model } };
    case 'dense':
      return { type: 'dense_vector', dimension: Number(dimension), metric };
    case 'sparse':
      return { type: 'sparse_vector' };
  }
}
