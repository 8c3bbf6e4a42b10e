// The map of a namespace: all of its records in the plane, near each other where their vectors are.
import { useMemo, useRef, useState } from 'preact/hooks';
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { route, setValues } from '../../router.ts';
import { Choices } from '../../ui/choices.tsx';
import { Empty, ErrorBox, Shown } from '../../ui/feedback.tsx';
import { Select } from '../../ui/field.tsx';
import { useFollowing } from '../../ui/following.ts';
import { plural } from '../../ui/format.ts';
import { useRefresh } from '../../ui/refresh.ts';
import { useResource } from '../../ui/resource.ts';
import { useTask } from '../../ui/task.ts';
import { NamespaceInput } from '../index/namespace-input.tsx';
import { RecordDetail } from '../index/record-detail.tsx';
import type { Cloud } from './cloud.ts';
import { colorsOf } from './colors.ts';
import { Legend } from './legend.tsx';
import { MapCanvas } from './map-canvas.tsx';
import { type MapDetails, makeMap, readCloud, readCodes, readIds, readMap } from './map-data.ts';
import { MarkForm } from './mark-form.tsx';
import { SelectedList } from './selected-list.tsx';
import './map.css';

const DEFAULT = '__default__';
const REFRESH_MS = 2_000;
const IDLE_REFRESH_MS = 20_000;

export function NamespaceMap({ index }: { readonly index: Index }) {
  const { ns: namespace = DEFAULT } = route.value.values;
  const mayRead = may('data_plane::vectors::read');
  const details = useResource(mayRead ? `map ${index.name} ${namespace}` : '', (signal) =>
    readMap(index.name, namespace, signal),
  );
  const making = useTask();
  const isBusy = details.value?.work != null && details.value.work.state !== 'Failed';
  useRefresh(details.refresh, isBusy ? REFRESH_MS : IDLE_REFRESH_MS, mayRead);
  if (!mayRead) return <Empty title="Your role does not read records." />;
  const make = () =>
    making.run(async () => {
      await makeMap(index.name, namespace);
      details.reload();
    });
  return (
    <>
      <div class="filter-line">
        <NamespaceInput
          index={index.name}
          value={namespace}
          onValue={(ns) => setValues({ ns, id: '', color: '' }, true)}
        />
      </div>
      <ErrorBox problem={making.problem} />
      <Shown of={details}>
        {(value) =>
          value === null ? (
            <Empty title="No records here.">Another namespace may have some.</Empty>
          ) : (
            <>
              <MapState details={value} onMake={make} isStarting={making.isRunning} />
              {value.map !== null && <MapView key={namespace} {...{ index, namespace, map: value.map }} />}
            </>
          )
        }
      </Shown>
    </>
  );
}

interface MapStateProps {
  readonly details: MapDetails;
  readonly isStarting: boolean;
  readonly onMake: () => void;
}

function MapState({ details: { map, up_to_date: isCurrent, work }, isStarting, onMake }: MapStateProps) {
  if (work !== null && work.state !== 'Failed') {
    return (
      <p role="status">
        <progress max={100} value={work.percent_complete} aria-label="The map is being made" />{' '}
        {work.state === 'Pending' ? 'The map waits for its turn.' : 'The map is being made.'}
      </p>
    );
  }
  return (
    <>
      {work !== null && (
        <p class="error-box" role="alert">
          The map could not be made: {work.error}
        </p>
      )}
      {map === null ? (
        <Empty title="There is no map yet.">
          <p>It shows all records of the namespace in the plane; those with similar vectors lie together.</p>
          <button type="button" class="main" disabled={isStarting} onClick={onMake}>
            Make the map
          </button>
        </Empty>
      ) : (
        !isCurrent && (
          <p class="tools">
            <span>The index has changed since the map was made.</span>
            <button type="button" class="small" disabled={isStarting} onClick={onMake}>
              Make it anew
            </button>
          </p>
        )
      )}
    </>
  );
}

interface MapViewProps {
  readonly index: Index;
  readonly namespace: string;
  readonly map: NonNullable<MapDetails['map']>;
}

function MapView({ index, namespace, map }: MapViewProps) {
  const { id, color = '' } = route.value.values;
  const field = map.fields.find(({ name }) => name === color);
  const scope = `${index.name} ${namespace} ${map.made_at}`;
  const request = (signal: AbortSignal) => ({ index: index.name, namespace, madeAt: map.made_at, signal });
  // The former map stays in view, with all that is typed beside it, until the one that was made anew is read.
  const [drawn, setDrawn] = useState<{ readonly scope: string; readonly cloud: Cloud }>();
  const isDrawn = drawn?.scope === scope;
  const whole = useResource(`cloud ${scope}`, (signal) =>
    readCloud(request(signal), map.points, (cloud) => setDrawn({ scope, cloud })),
  );
  // After the positions, which are seen first.
  const isRead = isDrawn && drawn.cloud.count === map.points;
  const ids = useResource(isRead ? `ids ${scope}` : '', (signal) => readIds(request(signal)));
  const codes = useResource(field === undefined ? '' : `codes ${scope} ${field.name}`, (signal) =>
    readCodes(request(signal), map.points, field?.name ?? ''),
  );
  const [mode, setMode] = useState<'move' | 'select'>('move');
  // The points of another map are other records.
  const [selected, setSelected] = useFollowing<readonly number[]>(scope, () => []);
  const colors = useRef({ field, list: colorsOf(field) });
  if (colors.current.field !== field) colors.current = { field, list: colorsOf(field) };
  const marked = useMemo(() => marksOf(map.points, selected), [map.points, selected]);
  const known = ids.value ?? [];
  const open = (point: number) => known[point] !== undefined && setValues({ id: known[point] });
  return (
    <>
      <div class="filter-line">
        <Select
          label="Color"
          value={color}
          choices={[
            { value: '', text: 'One color' },
            ...map.fields.map(({ name }) => ({ value: name, text: name })),
          ]}
          onValue={(chosen) => setValues({ color: chosen })}
        />
        <MarkForm {...{ index, namespace, ids: known }} onMarked={setSelected} />
        <Choices
          label="Dragging"
          choices={[
            { name: 'move', title: 'Move' },
            { name: 'select', title: 'Select' },
          ]}
          chosen={mode}
          onChoose={setMode}
        />
      </div>
      <ErrorBox problem={whole.problem ?? ids.problem ?? codes.problem} />
      <p class="quiet">
        {plural(map.points, 'record')}
        {map.points < map.total_records && `, an even sample of ${map.total_records}`}
      </p>
      <div class={id === undefined ? 'map-parts' : 'map-parts with-detail'}>
        <div>
          {drawn !== undefined && (
            <MapCanvas
              {...{ cloud: drawn.cloud, marked: isDrawn ? marked : null }}
              colors={colors.current.list}
              codes={isDrawn ? (codes.value ?? null) : null}
              isSelecting={mode === 'select'}
              label={(point) => labelOf(known[point] ?? '…', field, codes.value?.[point])}
              onChoose={open}
              onSelect={setSelected}
            />
          )}
          <Legend field={field} />
          {selected.length > 0 && (
            <SelectedList
              {...{ index, namespace }}
              ids={selected.flatMap((point) => known[point] ?? [])}
              onClear={() => setSelected([])}
            />
          )}
        </div>
        {id !== undefined && (
          <RecordDetail
            key={`${namespace} ${id}`}
            {...{ index, namespace, id }}
            asOf=""
            onChanged={() => undefined}
            onClose={() => setValues({ id: '' })}
          />
        )}
      </div>
    </>
  );
}

function marksOf(count: number, points: readonly number[]): Uint8Array | null {
  if (points.length === 0) return null;
  const marks = new Uint8Array(count);
  for (const point of points) marks[point] = 1;
  return marks;
}

function labelOf(
  id: string,
  field: NonNullable<MapDetails['map']>['fields'][number] | undefined,
  code: number | undefined,
): string {
  if (field?.kind !== 'values' || code === undefined || code === 0) return id;
  return `${id}: ${field.values[code - 1]?.value ?? 'another value'}`;
}
