// The search bench: what is searched for, and one configuration or two side by side.
import { useEffect, useState } from 'preact/hooks';
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { route, setValues } from '../../router.ts';
import { Choices } from '../../ui/choices.tsx';
import { Empty, Loading, Shown } from '../../ui/feedback.tsx';
import { Input, Select, TextArea } from '../../ui/field.tsx';
import { useFollowing } from '../../ui/following.ts';
import { PageHead } from '../../ui/page.tsx';
import { useResource } from '../../ui/resource.ts';
import { indexesKey, mayList, readIndexes } from '../first-reads.ts';
import { filterProblem } from '../index/filter.ts';
import { isDocumentIndex } from '../index/index-kind.ts';
import { NamespaceInput } from '../index/namespace-input.tsx';
import { useJudging } from '../judgments/judging.ts';
import { JudgingChoice } from '../judgments/judging-choice.tsx';
import { ClauseFields } from './clause-fields.tsx';
import { clauseChoices, readClauses } from './clauses.ts';
import { ConfigurationFields } from './configuration-fields.tsx';
import { Results, useSearch } from './results.tsx';
import {
  type Configuration,
  judgedQuestion,
  type Mode,
  modesOf,
  type Target,
  TOP_K_DEFAULT,
  valueProblem,
} from './search-request.ts';

const DEFAULT = '__default__';
const LABELS = { text: 'Search for', vector: 'Vector', id: 'Records like this id' };

export function SearchScreen() {
  const { index: name = '' } = route.value.values;
  const indexes = useResource(indexesKey(name), (signal) => readIndexes(name, signal));
  const isUnknown = name !== '' && indexes.value?.every((each) => each.name !== name) === true;
  // It may have been made meanwhile.
  useEffect(() => {
    if (isUnknown) indexes.reload();
  }, [name, isUnknown]);
  if (!may('data_plane::vectors::read')) return <Empty title="Your role does not search." />;
  if (name === '' && !mayList()) return <UnnamedIndex />;
  return (
    <>
      <PageHead title="Search" />
      <Shown of={indexes}>
        {(all) => {
          const index = name === '' ? all[0] : all.find((each) => each.name === name);
          if (index === undefined) {
            return indexes.isLoading ? (
              <Loading />
            ) : (
              <Empty title={name === '' ? 'There is no index to search yet.' : 'There is no such index.'} />
            );
          }
          return (
            <>
              <IndexChoice chosen={index} indexes={all} />
              {modesOf(index).length === 0 ? (
                <Empty title="Nothing can be searched here.">
                  This index has neither a field with full-text search nor one that a model embeds.
                </Empty>
              ) : (
                <Bench key={index.name} index={index} />
              )}
            </>
          );
        }}
      </Shown>
    </>
  );
}

/** For roles that list no indexes. */
function UnnamedIndex() {
  const [name, setName] = useState('');
  const open = (event: Event) => {
    event.preventDefault();
    setValues({ index: name.trim() }, true);
  };
  return (
    <>
      <PageHead title="Search" />
      <form onSubmit={open}>
        <Input
          label="Index"
          hint="Your role does not list indexes: type the name of one."
          value={name}
          onValue={setName}
          autocomplete="off"
          spellcheck={false}
        />
        <button type="submit" class="main" disabled={name.trim() === ''}>
          Open
        </button>
      </form>
    </>
  );
}

/** Stays in the page when another index is chosen, so that the arrow keys can go on. */
function IndexChoice({ chosen, indexes }: { readonly chosen: Index; readonly indexes: readonly Index[] }) {
  return (
    <div class="bench-form">
      <Select
        label="Index"
        value={chosen.name}
        choices={indexes.map(({ name }) => ({ value: name, text: name }))}
        onValue={(name) =>
          setValues(
            { index: name, ns: '', id: '', vector: '', filter: '', filter2: '', clauses: '', set: '' },
            true,
          )
        }
      />
    </div>
  );
}

function Bench({ index }: { readonly index: Index }) {
  const { values } = route.value;
  const modes = modesOf(index);
  const mode = modes.find(({ name }) => name === values.mode)?.name ?? modes[0]?.name ?? 'id';
  const asked = values[mode] ?? '';
  // A link or the back button may change what is searched for.
  const [value, setValue] = useFollowing(`${mode} ${asked}`, () => asked);
  const first = configurationIn(values, '');
  const second = configurationIn(values, '2');
  const isCompared = values.compare === '1';
  const problem = valueProblem(mode, value);
  const clauses = readClauses(values.clauses ?? '');
  const [edited, setEdited] = useFollowing(values.clauses, () => clauses);
  const target: Target = { namespace: values.ns ?? DEFAULT, mode, value: asked, clauses };
  const search = (event: Event) => {
    event.preventDefault();
    if (problem === undefined)
      setValues(
        {
          ...{ index: index.name, mode, [mode]: value.trim() },
          clauses: edited.length === 0 ? '' : JSON.stringify(edited),
        },
        true,
      );
  };
  return (
    <>
      <form onSubmit={search}>
        <div class="bench-form">
          <NamespaceInput index={index.name} value={target.namespace} onValue={(ns) => setValues({ ns })} />
        </div>
        <Choices
          label="Search by"
          choices={modes}
          chosen={mode}
          onChoose={(name: Mode) => setValues({ mode: name })}
        />
        <TextArea
          label={LABELS[mode]}
          value={value}
          onValue={setValue}
          error={problem}
          rows={mode === 'vector' ? 3 : 1}
          isCode={mode === 'vector'}
          onEnter={search}
        />
        {isDocumentIndex(index) && (
          <ClauseFields choices={clauseChoices(index)} clauses={edited} onChange={setEdited} />
        )}
        <div class="page-head">
          <label class="check">
            <input
              type="checkbox"
              checked={isCompared}
              onChange={(event) => setValues({ compare: event.currentTarget.checked ? '1' : '' })}
            />
            Compare two configurations
          </label>
          <button type="submit" class="main" disabled={problem !== undefined || value.trim() === ''}>
            Search
          </button>
        </div>
      </form>
      <JudgingChoice index={index.name} namespace={target.namespace} setId={values.set ?? ''} />
      <Sides {...{ index, target, first, second, isCompared }} setId={values.set ?? ''} />
    </>
  );
}

interface SidesProps {
  readonly index: Index;
  readonly target: Target;
  readonly first: Configuration;
  readonly second: Configuration;
  readonly isCompared: boolean;
  /** Of the judgment set; empty for none. */
  readonly setId: string;
}

function Sides({ index, target, first, second, isCompared, setId }: SidesProps) {
  // The results of both sides answer one question, whose filter is that of the first.
  const judging = useJudging(index.name, setId, judgedQuestion(target, first));
  const firstAnswer = useSearch(index, target, first);
  const secondAnswer = useSearch(index, target, isCompared ? second : undefined);
  const sides = [
    { configuration: first, answer: firstAnswer, other: undefined },
    { configuration: second, answer: secondAnswer, other: firstAnswer },
  ].slice(0, isCompared ? 2 : 1);
  return (
    <div class="bench">
      {sides.map(({ configuration, answer, other }, at) => {
        const suffix = at === 0 ? '' : '2';
        return (
          <section key={suffix} aria-label={at === 0 ? 'First configuration' : 'Second configuration'}>
            {isCompared && <h2>{at === 0 ? 'A' : 'B'}</h2>}
            <ConfigurationFields
              index={index}
              mode={target.mode}
              configuration={configuration}
              onChange={({ topK, filter, rerank }) =>
                setValues({
                  [`k${suffix}`]: topK,
                  [`filter${suffix}`]: filter,
                  [`rerank${suffix}`]: rerank,
                })
              }
            />
            <Results
              index={index}
              target={target}
              configuration={configuration}
              answer={answer}
              other={other}
              judging={judging}
            />
          </section>
        );
      })}
    </div>
  );
}

/** The filter in the address of a page; none where it has been tampered with. */
function filterIn(text: string): string {
  return filterProblem(text) === undefined ? text.trim() : '';
}

function configurationIn(values: Readonly<Record<string, string>>, suffix: '' | '2'): Configuration {
  return {
    topK: values[`k${suffix}`] ?? String(TOP_K_DEFAULT),
    filter: filterIn(values[`filter${suffix}`] ?? ''),
    rerank: values[`rerank${suffix}`] ?? '',
  };
}
