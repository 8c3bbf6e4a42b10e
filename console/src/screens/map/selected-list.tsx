// The records that were selected on a map: a list to read, to save and to delete.
import { useState } from 'preact/hooks';
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { setValues } from '../../router.ts';
import type { Action } from '../../ui/action.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { plural } from '../../ui/format.ts';
import { saveText } from '../../ui/save-file.ts';
import { deleteRecords } from '../index/save-fields.ts';
import { WayBack } from '../index/way-back.tsx';

const LISTED_MAX = 200;
/** Ids of one request. */
const DELETED_MAX = 1_000;

interface SelectedListProps {
  readonly index: Index;
  readonly namespace: string;
  readonly ids: readonly string[];
  readonly onClear: () => void;
}

export function SelectedList({ index, namespace, ids, onClear }: SelectedListProps) {
  const [isDeleting, setDeleting] = useState(false);
  const remove = async (action: Action) => {
    for (let at = 0; at < ids.length; at += DELETED_MAX)
      await deleteRecords(index, namespace, { ids: ids.slice(at, at + DELETED_MAX) }, action);
    onClear();
  };
  return (
    <section class="map-selected" aria-label="Selected records">
      <h2>{plural(ids.length, 'selected record')}</h2>
      <p class="tools">
        <button
          type="button"
          class="small"
          onClick={() =>
            saveText(`${index.name}-selected.jsonl`, ids.map((id) => JSON.stringify({ id })).join('\n'))
          }
        >
          Save the ids
        </button>
        {may('data_plane::vectors::write') && (
          <button type="button" class="danger small" onClick={() => setDeleting(true)}>
            Delete them
          </button>
        )}
        <button type="button" class="small" onClick={onClear}>
          Clear
        </button>
      </p>
      <ul class="neighbors">
        {ids.slice(0, LISTED_MAX).map((id) => (
          <li key={id}>
            <button type="button" class="facet" onClick={() => setValues({ id })}>
              <bdi>{id}</bdi>
            </button>
          </li>
        ))}
      </ul>
      {ids.length > LISTED_MAX && <p class="quiet">The first {LISTED_MAX} are listed.</p>}
      {isDeleting && (
        <Confirm
          title={`Delete ${plural(ids.length, 'record')}`}
          name={String(ids.length)}
          action="Delete"
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        >
          <WayBack index={index} /> The map shows them until it is made anew.
        </Confirm>
      )}
    </section>
  );
}
