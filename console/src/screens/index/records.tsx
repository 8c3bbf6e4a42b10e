// The records of an index: a namespace, filter and order, counts of values, pages of rows, and one record beside them.
import { useState } from 'preact/hooks';
import { may } from '../../api/session.ts';
import type { BrowsedPage, Index } from '../../api/types.ts';
import { hrefOf, route, setValues } from '../../router.ts';
import { CopyAs } from '../../ui/code.tsx';
import { Empty, Shown as ShownValue } from '../../ui/feedback.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { useFollowing } from '../../ui/following.ts';
import { count, plural, time } from '../../ui/format.ts';
import { Pager, usePages } from '../../ui/pager.tsx';
import { useResource } from '../../ui/resource.ts';
import { ChangeMatching } from './change-matching.tsx';
import { ConditionForm } from './condition-form.tsx';
import { Facets } from './facets.tsx';
import { exampleFilter, filterProblem, withCondition } from './filter.ts';
import { NamespaceInput } from './namespace-input.tsx';
import { RecordDetail } from './record-detail.tsx';
import { orderIn, pageKey, readPage, type Shown, scopeOf, shownIn } from './record-pages.ts';
import { listSnippets } from './record-snippets.ts';
import { RowList } from './row-list.tsx';

/** Fields offered to order by. */
const ORDERS_MAX = 50;

export function Records({ index }: { readonly index: Index }) {
  const { id } = route.value.values;
  const shown = shownIn(route.value.values);
  const { namespace, filter, asOf } = shown;
  const ordered = orderIn(shown)?.field;
  const scope = scopeOf(index.name, shown);
  const pages = usePages(scope);
  const mayRead = may('data_plane::vectors::read');
  const page = useResource(mayRead ? pageKey(index.name, shown, pages.token) : '', (signal) =>
    readPage(index.name, shown, pages.token, signal),
  );
  // The fields of the last page that was read stay in view while the next one is.
  const [fields, setFields] = useState<readonly string[]>([]);
  const known = page.value === undefined ? undefined : repeatedFirst(page.value);
  // A narrow page says less about values than the first one did, so that an order that is known stays.
  if (known !== undefined && !known.every((field) => fields.includes(field))) setFields(known);
  if (!mayRead) return <Empty title="Your role does not read records." />;
  const applyFilter = (text: string) => setValues({ filter: text, prefix: '', id: '' }, true);
  return (
    <>
      {asOf !== '' && <PastNote index={index} asOf={asOf} />}
      <FilterLine
        {...{ index, shown, fields }}
        example={exampleFilter(page.value?.records[0]?.fields)}
        onFilter={applyFilter}
      />
      <div class={id === undefined ? 'browse' : 'browse with-detail'}>
        <Facets {...{ index, namespace, asOf, filter, fields }} onFilter={applyFilter} />
        <div>
          <ShownValue of={page}>
            {(value) => (
              <>
                {value.records.length === 0 && pages.number === 1 ? (
                  <NoRecords field={ordered} />
                ) : (
                  <RowList
                    records={value.records}
                    chosen={id}
                    onChoose={(chosen) => setValues({ id: chosen })}
                  />
                )}
                <Pager pages={pages} next={value.pagination?.next}>
                  {sizeOf(value)}
                  {ordered !== undefined && ` with a number in ${ordered}; others are not shown`}
                </Pager>
              </>
            )}
          </ShownValue>
          <div class="pager">
            {asOf === '' && <CopyAs snippets={() => listSnippets(index, shown)} />}
            {filter !== '' && asOf === '' && may('data_plane::vectors::write') && (
              <ChangeMatching {...{ index, namespace, filter }} onChanged={page.reload} />
            )}
          </div>
        </div>
        {id !== undefined && (
          <RecordDetail
            key={`${namespace} ${asOf} ${id}`}
            {...{ index, namespace, asOf, id }}
            onChanged={page.reload}
            onClose={() => setValues({ id: '' })}
          />
        )}
      </div>
    </>
  );
}

/** @param field that the records are ordered by */
function NoRecords({ field }: { readonly field: string | undefined }) {
  if (field === undefined) {
    return <Empty title="No records here.">Another namespace or filter may have some.</Empty>;
  }
  return (
    <Empty title={`No records with a number in ${field}.`}>
      This order leaves out all others; that of the ids shows them.
    </Empty>
  );
}

/** Says that the records are not those of now, and leads back. */
function PastNote({ index, asOf }: { readonly index: Index; readonly asOf: string }) {
  const isLsn = /^\d+$/.test(asOf);
  // What is no moment, the server refuses.
  const moment = Number.isNaN(Date.parse(asOf)) ? asOf : time(asOf);
  return (
    <p role="status">
      Records as they were {isLsn ? `after the write ${asOf}` : `at ${moment}`}.{' '}
      <button type="button" class="small" onClick={() => setValues({ as_of: '', id: '' }, true)}>
        Records now
      </button>{' '}
      <a href={hrefOf(['indexes', index.name], { tab: 'history' })}>History</a>
    </p>
  );
}

/** The fields whose values repeat among these records come first: their counts tell most. */
function repeatedFirst({ records, indexed_fields: fields }: BrowsedPage): readonly string[] {
  const repeats = (field: string) => {
    const values = records.flatMap(({ fields: each }) =>
      field in each ? [JSON.stringify(each[field])] : [],
    );
    return new Set(values).size * 2 <= values.length && values.length > 1;
  };
  return [...fields.filter(repeats), ...fields.filter((field) => !repeats(field))];
}

function sizeOf({ records, total }: BrowsedPage): string {
  if (total === undefined || total === records.length) return plural(records.length, 'record');
  return `${count(records.length)} of ${plural(total, 'record')}`;
}

interface FilterLineProps {
  readonly index: Index;
  readonly shown: Shown;
  readonly fields: readonly string[];
  readonly example: string;
  readonly onFilter: (filter: string) => void;
}

function FilterLine({ index, shown, fields, example, onFilter }: FilterLineProps) {
  const { namespace, asOf, filter, prefix, order } = shown;
  // A click on a value, a link or the back button may change it; another namespace or order does not.
  const [text, setText] = useFollowing(`${filter} ${prefix}`, () => filter || prefix);
  const isFilter = text.trimStart().startsWith('{');
  const problem = isFilter ? filterProblem(text) : undefined;
  const apply = (event: Event) => {
    event.preventDefault();
    if (problem !== undefined) return;
    if (isFilter) onFilter(text.trim());
    else setValues({ filter: '', prefix: text, order: text === '' ? order : '', id: '' }, true);
  };
  return (
    <>
      <form class="filter-line" onSubmit={apply}>
        <NamespaceInput
          index={index.name}
          value={namespace}
          onValue={(ns) => setValues({ ns, id: '' }, true)}
        />
        <Input
          label="Filter, or beginning of the ids"
          placeholder={example}
          value={text}
          onValue={setText}
          error={problem}
          autocomplete="off"
          spellcheck={false}
        />
        <Select
          label="Order"
          value={order}
          choices={ordersOf(fields)}
          onValue={(chosen) => setValues({ order: chosen, prefix: '', id: '' }, true)}
        />
        <button type="submit" class="field-action">
          Apply
        </button>
      </form>
      <details class="builder">
        <summary>Add a condition</summary>
        <ConditionForm
          {...{ index, namespace, asOf, filter, fields }}
          onAdd={(field, condition) => onFilter(withCondition(filter, field, condition))}
        />
      </details>
    </>
  );
}

function ordersOf(fields: readonly string[]) {
  return [
    { value: '', text: 'Ids' },
    ...fields.slice(0, ORDERS_MAX).flatMap((field) => [
      { value: `asc ${field}`, text: `${field}, lowest first` },
      { value: `desc ${field}`, text: `${field}, highest first` },
    ]),
  ];
}
