// The hits of one configuration, with what the search did and how hits moved against another configuration.
import { type Answered, callIndex } from '../../api/call.ts';
import type { Index } from '../../api/types.ts';
import { hrefOf } from '../../router.ts';
import { CopyAs } from '../../ui/code.tsx';
import { Empty, ErrorBox, Shown } from '../../ui/feedback.tsx';
import { milliseconds, plural, score } from '../../ui/format.ts';
import { type Resource, useResource } from '../../ui/resource.ts';
import { textFieldOf } from '../index/index-kind.ts';
import { GradeChoice } from '../judgments/grade-choice.tsx';
import type { Judging } from '../judgments/judging.ts';
import { ExactComparison } from './exact-comparison.tsx';
import { Explain } from './explain.tsx';
import { Marked } from './marked.tsx';
import { type Hit, hitsOf, movesOf, type SearchAnswer } from './search-answer.ts';
import { type Configuration, clauseRequests, requestOf, type Target } from './search-request.ts';
import { searchSnippets } from './search-snippets.ts';

export interface ResultsProps {
  readonly index: Index;
  readonly target: Target;
  readonly configuration: Configuration;
  readonly answer: Resource<Answered<SearchAnswer>>;
  /** The answer that this one is compared with. */
  readonly other: Resource<Answered<SearchAnswer>> | undefined;
  /** Undefined while results are not judged. */
  readonly judging: Judging | undefined;
}

export function Results({ index, target, configuration, answer, other, judging }: ResultsProps) {
  const scores = useClauseScores(index, target, configuration);
  if (target.value === '') return <Empty title="Nothing was searched for yet." />;
  return (
    <Shown of={answer}>
      {({ body, milliseconds: took }) => {
        const hits = hitsOf(body);
        const moves = other?.value === undefined ? undefined : movesOf(hits, hitsOf(other.value.body));
        return (
          <>
            <div class="pager">
              <span class="quiet">
                {plural(hits.length, 'result')} in {milliseconds(took)}
              </span>
              <CopyAs snippets={() => searchSnippets(index, requestOf(index, target, configuration))} />
            </div>
            {body.explain !== undefined && <Explain explanation={body.explain} />}
            <ExactComparison {...{ index, target, configuration }} />
            <ErrorBox problem={judging?.problem} />
            {hits.length === 0 ? (
              <Empty title="Nothing was found." />
            ) : (
              <ol class="hits">
                {hits.map((hit, at) => (
                  <HitView
                    key={hit.id}
                    rank={at + 1}
                    move={moves?.get(hit.id)}
                    clauseScores={scores?.map((each) => each.get(hit.id) ?? null)}
                    {...{ hit, index, judging, namespace: target.namespace }}
                  />
                ))}
              </ol>
            )}
          </>
        );
      }}
    </Shown>
  );
}

/** Searches for nothing without a configuration or a target. */
export function useSearch(
  index: Index,
  target: Target,
  configuration: Configuration | undefined,
): Resource<Answered<SearchAnswer>> {
  const isAsked = configuration !== undefined && target.value !== '';
  const key = isAsked ? `search ${index.name} ${JSON.stringify([target, configuration])}` : '';
  return useResource<Answered<SearchAnswer>>(key, async (signal) => {
    if (configuration === undefined) throw new Error('There is no configuration.');
    const { path, body } = requestOf(index, target, configuration);
    return callIndex(index.name, 'POST', path, { body, signal, headers: { 'x-pinyon-explain': 'true' } });
  });
}

/** The scores of documents by each clause alone; undefined where there is one clause. */
function useClauseScores(
  index: Index,
  target: Target,
  configuration: Configuration,
): readonly ReadonlyMap<string, number>[] | undefined {
  const requests = target.value === '' ? [] : clauseRequests(index, target, configuration);
  const key = requests.length === 0 ? '' : `clauses ${index.name} ${JSON.stringify(requests)}`;
  const scores = useResource(key, (signal) =>
    Promise.all(
      requests.map(async ({ path, body }) => {
        const answer = await callIndex<SearchAnswer>(index.name, 'POST', path, { body, signal });
        return new Map(hitsOf(answer.body).map((hit) => [hit.id, hit.score ?? 0]));
      }),
    ),
  );
  return scores.value;
}

interface HitViewProps {
  readonly hit: Hit;
  readonly rank: number;
  /** Undefined without a comparison. */
  readonly move: number | null | undefined;
  /** Null for a clause that does not rank it; undefined without several clauses. */
  readonly clauseScores: readonly (number | null)[] | undefined;
  readonly index: Index;
  readonly namespace: string;
  readonly judging: Judging | undefined;
}

function HitView({ hit, rank, move, clauseScores, index, namespace, judging }: HitViewProps) {
  const { id, fields } = hit;
  const field = textFieldOf(index);
  const text = field === undefined ? undefined : fields[field];
  const rest = Object.entries(fields).filter(([name]) => name !== field);
  return (
    <li>
      <span class="hit-rank">
        {rank} <Move by={move} />
      </span>
      <div class="hit-body">
        <a href={hrefOf(['indexes', index.name], { ns: namespace, id })}>
          <bdi>{id}</bdi>
        </a>
        {hit.highlights.map((snippet) => (
          <div key={snippet}>
            <Marked text={snippet} />
          </div>
        ))}
        {typeof text === 'string' && <div class="hit-text">{text}</div>}
        {rest.length > 0 && (
          <div class="quiet hit-text">
            {rest.map(([name, value], at) => (
              <span key={name}>
                {at > 0 && ', '}
                <bdi>{name}</bdi>: <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
              </span>
            ))}
          </div>
        )}
        {judging !== undefined && <HitGrade id={id} judging={judging} />}
      </div>
      <span class="hit-score">
        {hit.score === null ? '–' : score(hit.score)}
        {clauseScores?.map((each, at) => (
          <span key={at} class="quiet clause-score" title={`Clause ${at + 1} alone`}>
            {at + 1}: {each === null ? '–' : score(each)}
          </span>
        ))}
      </span>
    </li>
  );
}

function HitGrade({
  id,
  judging: { grades, judge, isBusy },
}: {
  readonly id: string;
  readonly judging: Judging;
}) {
  const grade = grades.get(id) ?? null;
  if (judge === undefined)
    return <div class="quiet">{grade === null ? 'not judged' : `judged ${grade} of 3`}</div>;
  return <GradeChoice id={id} grade={grade} disabled={isBusy} onGrade={(given) => judge(id, given)} />;
}

function Move({ by }: { readonly by: number | null | undefined }) {
  if (by === undefined || by === 0) return null;
  if (by === null) return <span class="moved-up">new</span>;
  return by > 0 ? (
    <span class="moved-up" title={`${by} places up`}>
      ▲{by}
    </span>
  ) : (
    <span class="moved-down" title={`${-by} places down`}>
      ▼{-by}
    </span>
  );
}
