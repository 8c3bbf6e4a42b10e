// Creates an index: for vectors, for texts that a model embeds, or for documents with fields of their own.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import type { Scope } from '../../api/session.ts';
import { go } from '../../router.ts';
import type { Action } from '../../ui/action.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { useResource } from '../../ui/resource.ts';
import { useTask } from '../../ui/task.ts';
import { newRow, SchemaFields, type SchemaRow, schemaOf } from './schema-fields.tsx';

const VERSION = '2025-10';
const PLACE = { cloud: 'aws', region: 'us-east-1' };
const KINDS = [
  { value: 'dense', text: 'Dense vectors that you have' },
  { value: 'sparse', text: 'Sparse vectors that you have' },
  { value: 'model', text: 'Texts, embedded by a model' },
  { value: 'documents', text: 'Documents with fields of their own' },
];
const METRICS = ['cosine', 'dotproduct', 'euclidean'].map((value) => ({ value, text: value }));

interface Model {
  readonly model: string;
  readonly type: string;
  readonly vector_type?: string;
}

export interface CreateIndexProps {
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

export function CreateIndex({ onClose, onCreated }: CreateIndexProps) {
  const [fields, setFields] = useState({
    name: '',
    kind: 'dense',
    dimension: '',
    metric: 'cosine',
    model: '',
    field: 'text',
    expiryField: '',
    lifetime: '',
  });
  const set = (name: keyof typeof fields) => (value: string) =>
    setFields((all) => ({ ...all, [name]: value }));
  const [rows, setRows] = useState<readonly SchemaRow[]>([newRow(0)]);
  const needsModels = fields.kind === 'model' || fields.kind === 'documents';
  const models = useResource(needsModels ? 'models' : '', async (signal) => {
    const { models: all } = await call<{ readonly models: readonly Model[] }>('GET', 'models', { signal });
    return all.filter(isDenseModel).map(({ model }) => ({ value: model, text: model }));
  });
  const task = useTask();
  const create = async (event: Event) => {
    event.preventDefault();
    const model = fields.model || (models.value?.[0]?.value ?? '');
    if (!(await task.run((action) => createIndex({ ...fields, model, rows }, action)))) return;
    onClose();
    onCreated();
    go(['indexes', fields.name]);
  };
  return (
    <Dialog title="Create an index" onClose={onClose} isWide={fields.kind === 'documents'}>
      <form onSubmit={create}>
        <Input
          label="Name"
          hint="Lower-case letters, digits and hyphens"
          value={fields.name}
          onValue={set('name')}
          required
          autocomplete="off"
          spellcheck={false}
          autofocus
        />
        <Select label="For" value={fields.kind} choices={KINDS} onValue={set('kind')} />
        {fields.kind === 'dense' && (
          <div class="pair">
            <Input
              label="Dimension"
              type="number"
              min="1"
              max="20000"
              value={fields.dimension}
              onValue={set('dimension')}
              required
            />
            <Select label="Metric" value={fields.metric} choices={METRICS} onValue={set('metric')} />
          </div>
        )}
        {fields.kind === 'model' && (
          <div class="pair">
            <Select label="Model" value={fields.model} choices={models.value ?? []} onValue={set('model')} />
            <Input
              label="Text field"
              value={fields.field}
              onValue={set('field')}
              required
              spellcheck={false}
            />
          </div>
        )}
        {fields.kind === 'documents' && (
          <SchemaFields rows={rows} models={models.value ?? []} onChange={setRows} />
        )}
        <div class="pair">
          <Input
            label="Expiry field"
            hint="Optional: moments in seconds since 1970"
            value={fields.expiryField}
            onValue={set('expiryField')}
            spellcheck={false}
          />
          <Input
            label="Lifetime in seconds"
            hint="Empty for ever"
            type="number"
            min="1"
            value={fields.lifetime}
            onValue={set('lifetime')}
          />
        </div>
        <ErrorBox problem={task.problem ?? models.problem} />
        <FormActions action="Create" disabled={task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

interface NewIndex {
  readonly name: string;
  readonly kind: string;
  readonly dimension: string;
  readonly metric: string;
  readonly model: string;
  readonly field: string;
  readonly rows: readonly SchemaRow[];
  /** Empty where records do not expire. */
  readonly expiryField: string;
  readonly lifetime: string;
}

function isDenseModel({ type, vector_type: kind }: Model): boolean {
  return type === 'embed' && kind !== 'sparse';
}

async function createIndex(given: NewIndex, { scope }: Action): Promise<void> {
  await createShape(given, scope);
  const { name, expiryField: field, lifetime } = given;
  if (field === '' && lifetime === '') return;
  const body = {
    field: field === '' ? 'expires_at' : field,
    seconds: lifetime === '' ? null : Number(lifetime),
  };
  try {
    await call('PUT', `indexes/${encodeURIComponent(name)}/ttl`, { body, scope });
  } catch (error) {
    // All or nothing: the form can be sent again.
    await call('DELETE', `indexes/${encodeURIComponent(name)}`, { scope });
    throw error;
  }
}

async function createShape(given: NewIndex, scope: Scope): Promise<void> {
  const { name, kind, dimension, metric, model, field, rows } = given;
  if (kind === 'documents') {
    await call('POST', 'indexes', { body: { name, schema: schemaOf(rows, model) }, scope });
    return;
  }
  if (kind === 'model') {
    const embed = { model, field_map: { text: field } };
    await call('POST', 'indexes/create-for-model', {
      version: VERSION,
      body: { name, ...PLACE, embed },
      scope,
    });
    return;
  }
  const shape =
    kind === 'sparse'
      ? { vector_type: 'sparse', metric: 'dotproduct' }
      : { dimension: Number(dimension), metric };
  await call('POST', 'indexes', {
    version: VERSION,
    body: { name, ...shape, spec: { serverless: PLACE } },
    scope,
  });
}
