// The records of an index: a namespace, a filter or a beginning of ids, pages of rows, and one record beside them.
import { useEffect, useState } from 'preact/hooks';
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { route, setValues } from '../../router.ts';
import { CopyAs } from '../../ui/code.tsx';
import { Empty, Shown } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { plural } from '../../ui/format.ts';
import { useResource } from '../../ui/resource.ts';
import { curl, literal, python, pythonLiteral, type Snippets, typescript } from '../../ui/snippets.ts';
import { DeleteMatching } from './delete-matching.tsx';
import { exampleFilter, filterProblem } from './filter.ts';
import { NamespaceInput } from './namespace-input.tsx';
import { RecordDetail } from './record-detail.tsx';
import { type RecordPage, readPage } from './record-pages.ts';
import { RowList } from './row-list.tsx';

const DEFAULT = '__default__';

export function Records({ index }: { readonly index: Index }) {
  const { ns: namespace = DEFAULT, filter = '', prefix = '', id } = route.value.values;
  // The tokens of the pages up to the one in view.
  const [tokens, setTokens] = useState<readonly string[]>([]);
  const scope = `${index.name} ${namespace} ${filter} ${prefix}`;
  useEffect(() => setTokens([]), [scope]);
  const token = tokens.at(-1) ?? '';
  const mayRead = may('data_plane::vectors::read');
  const page = useResource(mayRead ? `page ${scope} ${token}` : '', (signal) =>
    readPage({ index: index.name, namespace, filter, prefix, token }, signal),
  );
  if (!mayRead) return <Empty title="Your role does not read records." />;
  return (
    <>
      <FilterLine
        key={scope}
        index={index}
        {...{ namespace, filter, prefix }}
        example={exampleFilter(page.value?.records[0]?.metadata)}
      />
      <div class={id === undefined ? 'browse' : 'browse with-detail'}>
        <div>
          <Shown of={page}>
            {(value) => (
              <PageView
                page={value}
                chosen={id}
                number={tokens.length + 1}
                onBack={tokens.length === 0 ? undefined : () => setTokens(tokens.slice(0, -1))}
                onNext={(next) => setTokens([...tokens, next])}
              />
            )}
          </Shown>
          <div class="pager">
            <CopyAs snippets={() => listSnippets(index, namespace, filter, prefix)} />
            {filter !== '' && may('data_plane::vectors::write') && (
              <DeleteMatching
                index={index.name}
                namespace={namespace}
                filter={filter}
                onDeleted={page.reload}
              />
            )}
          </div>
        </div>
        {id !== undefined && (
          <RecordDetail
            key={`${namespace} ${id}`}
            index={index}
            namespace={namespace}
            id={id}
            onChanged={page.reload}
            onClose={() => setValues({ id: '' })}
          />
        )}
      </div>
    </>
  );
}

interface FilterLineProps {
  readonly index: Index;
  readonly namespace: string;
  readonly filter: string;
  readonly prefix: string;
  readonly example: string;
}

function FilterLine({ index, namespace, filter, prefix, example }: FilterLineProps) {
  const [text, setText] = useState(filter || prefix);
  const isFilter = text.trimStart().startsWith('{');
  const problem = isFilter ? filterProblem(text) : undefined;
  const apply = (event: Event) => {
    event.preventDefault();
    if (problem === undefined) {
      setValues({ filter: isFilter ? text.trim() : '', prefix: isFilter ? '' : text, id: '' }, true);
    }
  };
  return (
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
      <button type="submit" class="field-action">
        Apply
      </button>
    </form>
  );
}

interface PageViewProps {
  readonly page: RecordPage;
  readonly chosen: string | undefined;
  readonly number: number;
  readonly onBack: (() => void) | undefined;
  readonly onNext: (token: string) => void;
}

function PageView({ page: { records, next }, chosen, number, onBack, onNext }: PageViewProps) {
  if (records.length === 0 && number === 1) {
    return <Empty title="No records here.">Another namespace or filter may have some.</Empty>;
  }
  return (
    <>
      <RowList records={records} chosen={chosen} onChoose={(id) => setValues({ id })} />
      <div class="pager">
        <span class="quiet">
          Page {number}, {plural(records.length, 'record')}
        </span>
        <span class="tools">
          <button type="button" class="small" disabled={onBack === undefined} onClick={onBack}>
            Previous
          </button>
          <button
            type="button"
            class="small"
            disabled={next === null}
            onClick={() => next !== null && onNext(next)}
          >
            Next
          </button>
        </span>
      </div>
    </>
  );
}

function listSnippets({ name }: Index, namespace: string, filter: string, prefix: string): Snippets {
  const data = `data/${name}`;
  if (filter !== '') {
    const value: unknown = JSON.parse(filter);
    return {
      typescript: typescript([
        `const index = pinecone.index({ name: ${literal(name)}, namespace: ${literal(namespace)} });`,
        `console.log(await index.fetchByMetadata({ filter: ${literal(value)} }));`,
      ]),
      python: python([
        `index = pinecone.Index(${literal(name)})`,
        `print(index.fetch_by_metadata(filter=${pythonLiteral(value)}, namespace=${literal(namespace)}))`,
      ]),
      curl: curl('POST', `${data}/vectors/fetch_by_metadata`, { namespace, filter: value }),
    };
  }
  const query = new URLSearchParams({ namespace, ...(prefix === '' ? {} : { prefix }) });
  return {
    typescript: typescript([
      `const index = pinecone.index({ name: ${literal(name)}, namespace: ${literal(namespace)} });`,
      `console.log(await index.listPaginated(${prefix === '' ? '' : `{ prefix: ${literal(prefix)} }`}));`,
    ]),
    python: python([
      `index = pinecone.Index(${literal(name)})`,
      `for ids in index.list(prefix=${literal(prefix)}, namespace=${literal(namespace)}):`,
      '    print(ids)',
    ]),
    curl: curl('GET', `${data}/vectors/list?${query}`),
  };
}
