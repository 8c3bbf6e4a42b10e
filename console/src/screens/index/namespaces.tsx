// The namespaces of an index with their counts, page by page.
import { useState } from 'preact/hooks';
import { callIndex } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { hrefOf } from '../../router.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, Shown } from '../../ui/feedback.tsx';
import { count, plural } from '../../ui/format.ts';
import { useResource } from '../../ui/resource.ts';

interface Namespace {
  readonly name: string;
  readonly record_count: number;
}

interface NamespacePage {
  readonly namespaces: readonly Namespace[];
  readonly pagination?: { readonly next?: string };
}

export function Namespaces({ index }: { readonly index: Index }) {
  const [tokens, setTokens] = useState<readonly string[]>([]);
  const [deleting, setDeleting] = useState<Namespace>();
  const token = tokens.at(-1);
  const mayRead = may('data_plane::namespaces::read');
  const page = useResource(mayRead ? `namespaces ${index.name} ${token}` : '', async (signal) => {
    const query = token === undefined ? {} : { paginationToken: token };
    return (await callIndex<NamespacePage>(index.name, 'GET', 'namespaces', { query, signal })).body;
  });
  if (!mayRead) return <Empty title="Your role does not read namespaces." />;
  const remove = async ({ name }: Namespace) => {
    await callIndex(index.name, 'DELETE', `namespaces/${encodeURIComponent(name)}`);
    page.reload();
  };
  return (
    <>
      <Shown of={page}>
        {({ namespaces, pagination }) => (
          <>
            {namespaces.length === 0 ? (
              <Empty title="No namespaces yet.">The first record of a namespace makes it.</Empty>
            ) : (
              <NamespaceTable index={index} namespaces={namespaces} onDelete={setDeleting} />
            )}
            <div class="pager">
              <span class="quiet">
                Page {tokens.length + 1}, {plural(namespaces.length, 'namespace')}
              </span>
              <span class="tools">
                <button
                  type="button"
                  class="small"
                  disabled={tokens.length === 0}
                  onClick={() => setTokens(tokens.slice(0, -1))}
                >
                  Previous
                </button>
                <button
                  type="button"
                  class="small"
                  disabled={pagination?.next === undefined}
                  onClick={() => setTokens([...tokens, pagination?.next ?? ''])}
                >
                  Next
                </button>
              </span>
            </div>
          </>
        )}
      </Shown>
      {deleting !== undefined && (
        <Confirm
          title="Delete the namespace"
          name={deleting.name}
          action="Delete"
          onConfirm={() => remove(deleting)}
          onClose={() => setDeleting(undefined)}
        >
          This deletes its {plural(deleting.record_count, 'record')} and cannot be undone.
        </Confirm>
      )}
    </>
  );
}

interface NamespaceTableProps {
  readonly index: Index;
  readonly namespaces: readonly Namespace[];
  readonly onDelete: (namespace: Namespace) => void;
}

function NamespaceTable({ index, namespaces, onDelete }: NamespaceTableProps) {
  const mayDelete = may('data_plane::namespaces::write');
  return (
    <div class="scroll-x">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th class="number">Records</th>
            {mayDelete && <th class="unlabelled">Actions</th>}
          </tr>
        </thead>
        <tbody>
          {namespaces.map((namespace) => (
            <tr key={namespace.name}>
              <td class="break">
                <a href={hrefOf(['indexes', index.name], { ns: namespace.name })}>
                  <bdi>{namespace.name}</bdi>
                </a>
              </td>
              <td class="number">{count(namespace.record_count)}</td>
              {mayDelete && (
                <td class="number">
                  <button
                    type="button"
                    class="small"
                    aria-label={`Delete ${namespace.name}`}
                    onClick={() => onDelete(namespace)}
                  >
                    Delete
                  </button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
