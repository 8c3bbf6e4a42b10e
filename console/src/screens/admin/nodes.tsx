// Nodes that have records of their own: what each has and has free, whether it is alive, and draining.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import type { Answers } from '../../api/generated/answers.ts';
import { mayInOrganization } from '../../api/session.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox, Shown } from '../../ui/feedback.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { bytes, count, time } from '../../ui/format.ts';
import { PartHead } from '../../ui/page.tsx';
import { type Resource, useResource } from '../../ui/resource.ts';
import { RowAction } from '../../ui/row-action.tsx';
import { Table } from '../../ui/table.tsx';
import { useTask } from '../../ui/task.ts';

type Nodes = Answers['list_nodes'];
type Node = Nodes['data'][number];

/** Nothing is read for those who may not see nodes. */
export function useNodes(): Resource<Nodes> {
  const key = mayInOrganization('admin::organization::update') ? 'nodes' : '';
  return useResource(key, (signal) => call<Nodes>('GET', 'admin/nodes', { signal }));
}

export function NodesPart() {
  const nodes = useNodes();
  const [chosen, setChosen] = useState<Node>();
  return (
    <section>
      <PartHead title="Nodes">
        <button type="button" onClick={nodes.reload}>
          Read again
        </button>
      </PartHead>
      <Shown of={nodes}>{({ data }) => <NodeTable nodes={data} onChange={setChosen} />}</Shown>
      {chosen !== undefined && (
        <DrainDialog node={chosen} onClose={() => setChosen(undefined)} onDone={nodes.reload} />
      )}
    </section>
  );
}

interface NodeTableProps {
  readonly nodes: readonly Node[];
  readonly onChange: (node: Node) => void;
}

function NodeTable({ nodes, onChange }: NodeTableProps) {
  return (
    <Table
      rows={nodes}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Node', cell: ({ address }) => <bdi>{address}</bdi> },
        { title: 'State', cell: (node) => <NodeState node={node} /> },
        { title: 'Version', cell: ({ version }) => version },
        { title: 'Indexes and assistants', kind: 'number', cell: ({ placed }) => count(placed) },
        { title: 'Free memory', kind: 'number', cell: (node) => bytes(node.memory_free_bytes) },
        { title: 'Free disk', kind: 'number', cell: (node) => bytes(node.disk_free_bytes) },
        { title: 'Last seen', cell: (node) => time(node.last_seen_at) },
        {
          title: 'Actions',
          kind: 'actions',
          cell: (node) => (
            <RowAction
              action={node.draining ? 'End draining' : 'Drain'}
              of={node.address}
              onClick={() => onChange(node)}
            />
          ),
        },
      ]}
    />
  );
}

function NodeState({ node: { alive, draining } }: { readonly node: Node }) {
  if (!alive) return <span class="state bad">Does not answer</span>;
  return draining ? <span class="state busy">Draining</span> : <span class="state good">Alive</span>;
}

interface DrainDialogProps {
  readonly node: Node;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function DrainDialog({ node, onClose, onDone }: DrainDialogProps) {
  const task = useTask();
  const action = node.draining ? 'End draining' : 'Drain';
  const submit = async (event: Event) => {
    event.preventDefault();
    const body = { draining: !node.draining };
    const isDone = await task.run(async () => {
      await call('PATCH', `admin/nodes/${encodeURIComponent(node.id)}`, { body });
    });
    if (!isDone) return;
    onDone();
    onClose();
  };
  return (
    <Dialog title={`${action} ${node.address}`} onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          {node.draining
            ? 'The node gets new indexes and assistants again. What has been moved away stays where it is.'
            : 'The node gets nothing new, and its indexes and assistants are moved to the others, while they are read and written.'}
        </p>
        <ErrorBox problem={task.problem} />
        <FormActions action={action} disabled={task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
