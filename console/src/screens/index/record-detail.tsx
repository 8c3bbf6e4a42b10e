// One record: its vector as a picture, its metadata as JSON to edit, and what can be done with it.
import { useState } from 'preact/hooks';
import { may } from '../../api/session.ts';
import type { Index, Metadata, Neighborhood, WholeRecord } from '../../api/types.ts';
import { hrefOf, setValues } from '../../router.ts';
import type { Action } from '../../ui/action.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Empty, ErrorBox, Shown } from '../../ui/feedback.tsx';
import { TextArea } from '../../ui/field.tsx';
import { useFollowing } from '../../ui/following.ts';
import { score } from '../../ui/format.ts';
import { useResource } from '../../ui/resource.ts';
import { Sparkline } from '../../ui/sparkline.tsx';
import { useTask } from '../../ui/task.ts';
import { isDocumentIndex, textFieldOf } from './index-kind.ts';
import { metadataProblem, metadataText } from './metadata.ts';
import { readRecord } from './record-pages.ts';
import { deleteRecords, saveFields } from './save-fields.ts';
import { WayBack } from './way-back.tsx';

export interface RecordDetailProps {
  readonly index: Index;
  readonly namespace: string;
  /** The moment of the record; empty for now. That of the past cannot be changed. */
  readonly asOf: string;
  readonly id: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function RecordDetail({ index, namespace, asOf, id, onChanged, onClose }: RecordDetailProps) {
  const [isDeleting, setDeleting] = useState(false);
  const record = useResource(`record ${index.name} ${namespace} ${asOf} ${id}`, (signal) =>
    readRecord(index.name, { namespace, asOf }, id, signal),
  );
  const mayWrite = asOf === '' && may('data_plane::vectors::write');
  const remove = async (action: Action) => {
    await deleteRecords(index, namespace, { ids: [id] }, action);
    onChanged();
    onClose();
  };
  return (
    <aside class="detail" aria-label="Record">
      <div class="detail-head">
        <h2>
          <bdi>{id}</bdi>
        </h2>
        <button type="button" class="plain" aria-label="Close the record" onClick={onClose}>
          ✕
        </button>
      </div>
      <div class="tools part">
        <CopyButton text={id} label="Copy the id" />
        {!isDocumentIndex(index) && asOf === '' && (
          <a href={hrefOf(['search'], { index: index.name, ns: namespace, mode: 'id', id })}>
            Find similar ones
          </a>
        )}
      </div>
      <Shown of={record}>
        {(value) =>
          value === null ? (
            <Empty title="The record is gone." />
          ) : (
            <>
              <Vector record={value.record} />
              <FieldsForm
                {...{ index, namespace, mayWrite, record: value.record }}
                onSaved={() => {
                  record.reload();
                  onChanged();
                }}
              />
              <Neighbors neighbors={value.neighbors} />
            </>
          )
        }
      </Shown>
      {mayWrite && (
        <div class="actions">
          <button type="button" class="danger small" onClick={() => setDeleting(true)}>
            Delete the record
          </button>
        </div>
      )}
      {isDeleting && (
        <Confirm
          title="Delete the record"
          name={id}
          action="Delete"
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        >
          <WayBack index={index} isOne />
        </Confirm>
      )}
    </aside>
  );
}

function Neighbors({ neighbors }: Pick<Neighborhood, 'neighbors'>) {
  if (neighbors.length === 0) return null;
  return (
    <section>
      <h3>Neighbors</h3>
      <ul class="neighbors">
        {neighbors.map(({ id, score: similarity, fields }) => (
          <li key={id}>
            <button type="button" class="facet" onClick={() => setValues({ id }, true)}>
              <span>
                <bdi>{id}</bdi> <span class="quiet">{summaryOf(fields)}</span>
              </span>
              <span class="quiet">{score(similarity)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const SUMMARY_CHARS = 80;

function summaryOf(fields: WholeRecord['fields']): string {
  const text = Object.values(fields).find((each) => typeof each === 'string');
  return String(text ?? '').slice(0, SUMMARY_CHARS);
}

function Vector({ record: { values, sparseValues } }: { readonly record: WholeRecord }) {
  return (
    <>
      {values.length > 0 && (
        <section>
          <h3>Vector, {values.length} components</h3>
          <Sparkline values={values} />
          <p class="tools">
            <CopyButton text={JSON.stringify(values)} label="Copy the vector" />
          </p>
        </section>
      )}
      {sparseValues !== undefined && (
        <section>
          <h3>Sparse vector, {sparseValues.indices.length} entries</h3>
          <Sparkline values={sparseValues.values} />
          <p class="tools">
            <CopyButton text={JSON.stringify(sparseValues)} label="Copy the sparse vector" />
          </p>
        </section>
      )}
    </>
  );
}

interface FieldsFormProps {
  readonly index: Index;
  readonly namespace: string;
  readonly mayWrite: boolean;
  readonly record: WholeRecord;
  readonly onSaved: () => void;
}

interface Edit {
  /** The fields that the person began with. */
  readonly before: Metadata;
  readonly text: string;
}

function editOf(fields: Metadata): Edit {
  return { before: fields, text: metadataText(fields) };
}

function FieldsForm({ index, namespace, mayWrite, record, onSaved }: FieldsFormProps) {
  const now = JSON.stringify(record.fields);
  // What is typed stays when the record is read again, with the fields that it began with.
  const [{ before, text }, setEdit] = useFollowing<Edit>(now, (edit) =>
    edit !== undefined && edit.text !== metadataText(edit.before) ? edit : editOf(record.fields),
  );
  const setText = (typed: string) => setEdit((edit) => ({ ...edit, text: typed }));
  const isChanged = text !== metadataText(before);
  const hasMoved = isChanged && JSON.stringify(before) !== now;
  const task = useTask();
  const problem = metadataProblem(text);
  const field = textFieldOf(index);
  const save = async (event: Event) => {
    event.preventDefault();
    if (problem !== undefined) return;
    const fields: Metadata = JSON.parse(text);
    if (!(await task.run(() => saveFields(index, namespace, record, { before, after: fields })))) return;
    setEdit((edit) => (edit.text === text ? editOf(fields) : { before: fields, text: edit.text }));
    onSaved();
  };
  return (
    <form onSubmit={save}>
      <TextArea
        label={isDocumentIndex(index) ? 'Fields' : 'Metadata'}
        hint={field === undefined ? undefined : `A change of ${field} does not change the vector.`}
        error={problem}
        value={text}
        onValue={(value) => mayWrite && setText(value)}
        rows={Math.min(18, Math.max(5, text.split('\n').length + 1))}
        isCode
      />
      {hasMoved && (
        <p role="status" class="quiet">
          The record has changed since. Saving changes only the fields that you have changed.
        </p>
      )}
      <ErrorBox problem={task.problem} />
      {mayWrite && isChanged && (
        <div class="actions">
          <button type="button" class="small" onClick={() => setEdit(editOf(record.fields))}>
            Undo the changes
          </button>
          <button type="submit" class="main small" disabled={problem !== undefined || task.isRunning}>
            Save
          </button>
        </div>
      )}
    </form>
  );
}
