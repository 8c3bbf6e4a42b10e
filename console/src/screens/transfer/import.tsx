// Imports a file that was dropped or chosen: its columns, then its progress and the rows that were refused.
import { useState } from 'preact/hooks';
import { asProblem, type Problem } from '../../api/problem.ts';
import type { Index } from '../../api/types.ts';
import { route } from '../../router.ts';
import { useActions } from '../../ui/action.ts';
import { DropZone } from '../../ui/drop-zone.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { NamespaceInput } from '../index/namespace-input.tsx';
import { ColumnTable } from './column-table.tsx';
import { type Column, guessColumns, mappingProblem } from './columns.ts';
import { ImportProgress } from './import-progress.tsx';
import { type Format, formatOf, readRows } from './read-rows.ts';
import { type Progress, runImport } from './run-import.ts';

interface Chosen {
  readonly file: File;
  readonly format: Format;
  readonly columns: readonly Column[];
}

type State = 'idle' | 'running' | 'done' | 'stopped';

/** Rows that columns and types are guessed from. */
const SAMPLE_ROWS = 100;

export function Import({ index }: { readonly index: Index }) {
  const [namespace, setNamespace] = useState(route.value.values.ns ?? '__default__');
  const [chosen, setChosen] = useState<Chosen>();
  const [problem, setProblem] = useState<Problem>();
  const [progress, setProgress] = useState<Progress>();
  const [state, setState] = useState<State>('idle');
  const { begin, stop } = useActions();
  const choose = async (file: File) => {
    // Until its columns are known, nothing of the file before can be started.
    setChosen(undefined);
    setProblem(undefined);
    setProgress(undefined);
    setState('idle');
    try {
      setChosen(await inspect(index, file));
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  const start = async () => {
    if (chosen === undefined) return;
    const action = begin();
    setProblem(undefined);
    setState('running');
    try {
      for await (const each of runImport({ index, namespace, ...chosen }, action)) setProgress(each);
      setState('done');
    } catch (error) {
      setState('stopped');
      if (!action.signal.aborted) setProblem(asProblem(error));
    }
  };
  const missing = chosen === undefined ? undefined : mappingProblem(index, chosen.columns);
  return (
    <section>
      <h2>Import</h2>
      <DropZone
        label="Drop a file here, or choose one"
        accept=".jsonl,.ndjson,.csv,.tsv,.parquet"
        hint="JSON lines, comma-separated values or Parquet. Millions of rows are faster by “pinyon import”."
        disabled={state === 'running'}
        onFiles={([file]) => file !== undefined && void choose(file)}
      />
      <ErrorBox problem={problem} />
      {chosen !== undefined && (
        <>
          <h3 class="break">
            <bdi>{chosen.file.name}</bdi>
          </h3>
          <ColumnTable
            index={index}
            columns={chosen.columns}
            isText={chosen.format === 'csv'}
            disabled={state === 'running'}
            onChange={(columns) => setChosen({ ...chosen, columns })}
          />
          <div class="condition">
            <NamespaceInput index={index.name} value={namespace} onValue={setNamespace} />
            {state === 'running' ? (
              <button type="button" class="field-action" onClick={stop}>
                Stop
              </button>
            ) : (
              <button
                type="button"
                class="main field-action"
                disabled={missing !== undefined}
                onClick={start}
              >
                Import
              </button>
            )}
          </div>
          {missing !== undefined && <p class="field-error">{missing}</p>}
          {progress !== undefined && <ImportProgress {...{ index, namespace, progress, state }} />}
        </>
      )}
    </section>
  );
}

/** @throws Error for a file that cannot be read at all */
async function inspect(index: Index, file: File): Promise<Chosen> {
  const format = formatOf(file.name);
  if (format === undefined) {
    throw new Error(`The name of a file ends in .jsonl, .csv, .tsv or .parquet; got ${file.name}`);
  }
  const rows = [];
  for await (const batch of readRows(file, format)) {
    rows.push(...batch.rows);
    if (rows.length >= SAMPLE_ROWS) break;
  }
  if (rows.length === 0) throw new Error('The file has no rows');
  return { file, format, columns: guessColumns(index, rows.slice(0, SAMPLE_ROWS), format === 'csv') };
}
