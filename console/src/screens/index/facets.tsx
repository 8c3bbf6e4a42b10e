// The values of metadata fields with their counts among the records in view; a click filters by one.
import { useState } from 'preact/hooks';
import type { FacetCounts, Index } from '../../api/types.ts';
import { Shown } from '../../ui/feedback.tsx';
import { count } from '../../ui/format.ts';
import { useResource } from '../../ui/resource.ts';
import { requiredValue, type Value, withCondition, withoutField } from './filter.ts';
import { readFacet } from './record-pages.ts';

/** Fields counted without being asked for, and the most of all. */
const FIELDS_SHOWN = 4;
const FIELDS_MAX = 10;

interface FacetsProps {
  readonly index: Index;
  readonly namespace: string;
  readonly asOf: string;
  readonly filter: string;
  readonly fields: readonly string[];
  readonly onFilter: (filter: string) => void;
}

export function Facets({ index, namespace, asOf, filter, fields, onFilter }: FacetsProps) {
  const [isLong, setLong] = useState(false);
  const counted = fields.slice(0, isLong ? FIELDS_MAX : FIELDS_SHOWN);
  if (counted.length === 0) return null;
  return (
    <section class="facets" aria-label="Values">
      {counted.map((field) => (
        <CountedField key={field} {...{ index, namespace, asOf, filter, field, onFilter }} />
      ))}
      {!isLong && fields.length > FIELDS_SHOWN && (
        <button type="button" class="small" onClick={() => setLong(true)}>
          More fields
        </button>
      )}
    </section>
  );
}

interface CountedFieldProps extends Omit<FacetsProps, 'fields'> {
  readonly field: string;
}

/** Each field is counted by a request of its own, so that the first counts need not wait for the last. */
function CountedField({ index, namespace, asOf, filter, field, onFilter }: CountedFieldProps) {
  const key = `facet ${JSON.stringify([index.name, namespace, asOf, filter, field])}`;
  const counts = useResource(key, (signal) =>
    readFacet(index.name, { namespace, filter, asOf }, field, signal),
  );
  return <Shown of={counts}>{(facet) => <Facet {...{ facet, filter, onFilter }} />}</Shown>;
}

interface FacetProps {
  readonly facet: FacetCounts;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

function Facet({ facet: { field, values, distinct, exact }, filter, onFilter }: FacetProps) {
  // Values of which each record has its own say nothing as a list.
  const isUnique = values.length > 1 && values[0]?.count === 1;
  const shown = isUnique ? [] : values;
  const chosen = requiredValue(filter, field);
  const choose = (value: Value) =>
    onFilter(value === chosen ? withoutField(filter, field) : withCondition(filter, field, value));
  return (
    <details open>
      <summary>
        <bdi>{field}</bdi>
      </summary>
      <ul>
        {shown.map(({ value, count: records }) => (
          <li key={`${typeof value} ${value}`}>
            <button type="button" class="facet" aria-pressed={value === chosen} onClick={() => choose(value)}>
              {value === '' ? <i class="quiet">empty text</i> : <bdi>{String(value)}</bdi>}
              <span class="quiet">{count(records)}</span>
            </button>
          </li>
        ))}
      </ul>
      {distinct > shown.length && (
        <p class="quiet">
          {count(distinct)}
          {exact ? '' : ' or more'} values{isUnique ? ', all different' : ' in all'}
        </p>
      )}
    </details>
  );
}
