// Marks on a map what a search finds: records like another, or by words where the index has texts.
import { useState } from 'preact/hooks';
import { callIndex } from '../../api/call.ts';
import type { Index } from '../../api/types.ts';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { useTask } from '../../ui/task.ts';
import { isDocumentIndex, textFieldOf } from '../index/index-kind.ts';
import { hitsOf, type SearchAnswer } from '../search/search-answer.ts';
import { requestOf } from '../search/search-request.ts';

const MARKED = 100;

interface MarkFormProps {
  readonly index: Index;
  readonly namespace: string;
  /** Those of the points. */
  readonly ids: readonly string[];
  readonly onMarked: (points: readonly number[]) => void;
}

export function MarkForm({ index, namespace, ids, onMarked }: MarkFormProps) {
  const [text, setText] = useState('');
  const [note, setNote] = useState('');
  const task = useTask();
  const isText = isDocumentIndex(index) || textFieldOf(index) !== undefined;
  const mark = (event: Event) => {
    event.preventDefault();
    if (text.trim() === '') return;
    void task.run(async () => {
      const found = await idsFor(index, { namespace, text: text.trim(), isText });
      const points = new Map(ids.map((id, point) => [id, point]));
      const marked = found.flatMap((id) => points.get(id) ?? []);
      onMarked(marked);
      setNote(`${marked.length} of ${found.length} found are on the map`);
    });
  };
  return (
    <form class="mark-form" onSubmit={mark}>
      <Input
        label={isText ? 'Search and mark' : 'Mark records like this id'}
        value={text}
        onValue={setText}
        hint={note}
        autocomplete="off"
        spellcheck={false}
      />
      <button type="submit" class="field-action" disabled={task.isRunning || ids.length === 0}>
        Mark
      </button>
      <ErrorBox problem={task.problem} />
    </form>
  );
}

async function idsFor(
  index: Index,
  {
    namespace,
    text,
    isText,
  }: { readonly namespace: string; readonly text: string; readonly isText: boolean },
): Promise<readonly string[]> {
  const target = { namespace, mode: isText ? 'text' : 'id', value: text, clauses: [] } as const;
  const { path, body } = requestOf(index, target, { topK: String(MARKED), filter: '', rerank: '' });
  const { body: answer } = await callIndex<SearchAnswer>(index.name, 'POST', path, { body });
  return hitsOf(answer).map(({ id }) => id);
}
