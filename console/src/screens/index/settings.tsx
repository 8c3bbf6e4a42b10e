// The settings of an index: what it is, where it is reached, its protection, and its deletion.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import type { Index, SchemaField } from '../../api/types.ts';
import { go } from '../../router.ts';
import { CopyAs } from '../../ui/code.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { curl, literal, python, typescript } from '../../ui/snippets.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { useTask } from '../../ui/task.ts';
import { MemoryProfilePart } from './memory-profile.tsx';
import { RecallPromisePart } from './recall-promise.tsx';
import { TimeToLivePart } from './time-to-live.tsx';

export interface SettingsProps {
  readonly index: Index;
  readonly reload: () => void;
}

export function Settings({ index, reload }: SettingsProps) {
  const [isDeleting, setDeleting] = useState(false);
  const task = useTask();
  const { name } = index;
  const path = `indexes/${encodeURIComponent(name)}`;
  const isProtected = index.deletion_protection === 'enabled';
  const protect = () =>
    task.run(async () => {
      const body = { deletion_protection: isProtected ? 'disabled' : 'enabled' };
      await call('PATCH', path, { body, version: '2025-10' });
      reload();
    });
  const remove = async () => {
    await call('DELETE', path);
    go([]);
  };
  return (
    <>
      <Details index={index} />
      <TimeToLivePart name={name} />
      <RecallPromisePart name={name} />
      {index.dimension !== undefined && <MemoryProfilePart name={name} />}
      <ErrorBox problem={task.problem} />
      <div class="tools below">
        <CopyAs snippets={() => describeSnippets(name)} />
        {may('control_plane::indexes::configure') && (
          <button type="button" class="small" disabled={task.isRunning} onClick={protect}>
            {isProtected ? 'Allow its deletion' : 'Protect it from deletion'}
          </button>
        )}
        {may('control_plane::indexes::delete') && !isProtected && (
          <button type="button" class="danger small" onClick={() => setDeleting(true)}>
            Delete the index
          </button>
        )}
      </div>
      {isDeleting && (
        <Confirm
          title="Delete the index"
          name={name}
          action="Delete"
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        >
          This deletes all its records and cannot be undone. Its backups stay.
        </Confirm>
      )}
    </>
  );
}

function Details({ index }: { readonly index: Index }) {
  const { embed, tags, schema } = index;
  const details: readonly (readonly [string, string])[] = [
    ['State', index.status.state],
    [
      'Vectors',
      index.dimension === undefined
        ? index.vector_type
        : `${index.vector_type}, ${index.dimension} components`,
    ],
    ['Metric', index.metric],
    ...(embed === undefined ? [] : ([['Model', embed.model]] as const)),
    ['Deletion protection', index.deletion_protection],
    [
      'Tags',
      Object.entries(tags ?? {})
        .map(([key, value]) => `${key}: ${value}`)
        .join(', ') || 'none',
    ],
    ['Region', regionOf(index.spec)],
  ];
  return (
    <>
      <dl class="facts">
        <dt>Address</dt>
        <dd>
          <code>{index.host}</code> <CopyButton text={index.host} />
        </dd>
        {details.map(([term, text]) => (
          <Detail key={term} term={term} text={text} />
        ))}
      </dl>
      {schema !== undefined && (
        <section class="part">
          <h2>Fields</h2>
          <Table
            rows={Object.entries(schema.fields)}
            columns={FIELD_COLUMNS}
            keyOf={([name]) => name}
            hasCards={false}
          />
        </section>
      )}
    </>
  );
}

const FIELD_COLUMNS: readonly Column<readonly [string, SchemaField]>[] = [
  { title: 'Field', cell: ([name]) => <bdi>{name}</bdi> },
  { title: 'Settings', kind: 'long', cell: ([, settings]) => <code>{JSON.stringify(settings)}</code> },
];

/** The texts of a specification, of whichever kind. */
function regionOf(spec: object): string {
  const texts = Object.entries(spec).flatMap(([kind, details]) => [
    kind,
    ...Object.values(details ?? {}).filter((each) => typeof each === 'string'),
  ]);
  return texts.join(', ');
}

function Detail({ term, text }: { readonly term: string; readonly text: string }) {
  return (
    <>
      <dt>{term}</dt>
      <dd>{text}</dd>
    </>
  );
}

function describeSnippets(name: string) {
  return {
    typescript: typescript([`console.log(await pinecone.describeIndex(${literal(name)}));`]),
    python: python([`print(pinecone.describe_index(${literal(name)}))`]),
    curl: curl('GET', `indexes/${name}`),
  };
}
