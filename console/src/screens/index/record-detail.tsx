// One record: its vector as a picture, its metadata as JSON to edit, and what can be done with it.
import { useState } from 'preact/hooks';
import { callIndex } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import type { Index, VectorRecord } from '../../api/types.ts';
import { hrefOf } from '../../router.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Empty, ErrorBox, Shown } from '../../ui/feedback.tsx';
import { TextArea } from '../../ui/field.tsx';
import { useResource } from '../../ui/resource.ts';
import { Sparkline } from '../../ui/sparkline.tsx';
import { useTask } from '../../ui/task.ts';
import { textFieldOf } from './index-kind.ts';
import { metadataProblem, metadataText } from './metadata.ts';
import { readRecord } from './record-pages.ts';
import { saveMetadata } from './save-metadata.ts';

export interface RecordDetailProps {
  readonly index: Index;
  readonly namespace: string;
  readonly id: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function RecordDetail({ index, namespace, id, onChanged, onClose }: RecordDetailProps) {
  const [isDeleting, setDeleting] = useState(false);
  const record = useResource(`record ${index.name} ${namespace} ${id}`, (signal) =>
    readRecord(index.name, namespace, id, signal),
  );
  const remove = async () => {
    await callIndex(index.name, 'POST', 'vectors/delete', { body: { namespace, ids: [id] } });
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
        <a href={hrefOf(['search'], { index: index.name, ns: namespace, mode: 'id', id })}>
          Find similar ones
        </a>
      </div>
      <Shown of={record}>
        {(value) =>
          value === null ? (
            <Empty title="The record is gone." />
          ) : (
            <>
              <Vector record={value} />
              <MetadataForm
                key={JSON.stringify(value.metadata)}
                {...{ index, namespace, record: value }}
                onSaved={() => {
                  record.reload();
                  onChanged();
                }}
              />
            </>
          )
        }
      </Shown>
      {may('data_plane::vectors::write') && (
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
          This cannot be undone.
        </Confirm>
      )}
    </aside>
  );
}

function Vector({ record: { values = [], sparseValues } }: { readonly record: VectorRecord }) {
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

interface MetadataFormProps {
  readonly index: Index;
  readonly namespace: string;
  readonly record: VectorRecord;
  readonly onSaved: () => void;
}

function MetadataForm({ index, namespace, record, onSaved }: MetadataFormProps) {
  const before = metadataText(record.metadata ?? {});
  const [text, setText] = useState(before);
  const task = useTask();
  const mayWrite = may('data_plane::vectors::write');
  const problem = metadataProblem(text);
  const field = textFieldOf(index);
  const save = async (event: Event) => {
    event.preventDefault();
    if (problem !== undefined) return;
    if (await task.run(() => saveMetadata(index.name, namespace, record, JSON.parse(text)))) onSaved();
  };
  return (
    <form onSubmit={save}>
      <TextArea
        label="Metadata"
        hint={field === undefined ? undefined : `A change of ${field} does not change the vector.`}
        error={problem}
        value={text}
        onValue={(value) => mayWrite && setText(value)}
        rows={Math.min(18, Math.max(5, text.split('\n').length + 1))}
        isCode
      />
      <ErrorBox problem={task.problem} />
      {mayWrite && text !== before && (
        <div class="actions">
          <button type="button" class="small" onClick={() => setText(before)}>
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
