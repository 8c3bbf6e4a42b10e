// Every statement of an engine on PostgreSQL as it is sent, and why Citus could not run one on the server of its namespace.
//
// The tables of records are partitioned by the namespace. Each different statement on them is explained with its values in
// its own transaction: the partitions in its plan are the shards that it touches.
import pg from 'pg';

/** By any name of an index; partitions have a number after it. */
const SPREAD_TABLE = /"(records|postings|fields|texts|text_fields)_[^"/]+"/g;
const SHARED_TABLE = /"namespaces_[^"]+"|\b(?:namespace_changes|namespace_removals|indexes)\b/g;
const PARTITION = /^(records|postings|fields|texts|text_fields)_.*\/(\d+)$/;
const WHOLE = /^(records|postings|fields|texts|text_fields)_[^/]*$/;
/** What a plan says of the first value of inserted rows, which is the namespace: one given value, or that of a row read. */
const ONE_NAMESPACE = /^'\d+'::bigint$/;
const ROW_NAMESPACE = /^(?:\w+\.|"[^"]+"\.)?namespace$/;

export interface SeenStatement {
  /** Without the ids of indexes. */
  readonly text: string;
  /** Why it is not for one server; empty where it is. */
  readonly problems: readonly string[];
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Operation?: string;
  readonly Output?: readonly string[];
  readonly Plans?: readonly PlanNode[];
}

type Explain = (
  this: pg.Client,
  config: pg.QueryConfig,
) => Promise<pg.QueryResult<{ readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>>;

/** Of one text: what it touches may depend on its values. */
const EXPLAINED_MAX = 10;

/** Records from now on, in this process, each different statement on tables of records, several times for each index. */
export function recordStatements(): {
  readonly seen: readonly SeenStatement[];
  readonly settled: () => Promise<void>;
} {
  const times = new Map<string, number>();
  const seen: SeenStatement[] = [];
  const explained: Promise<void>[] = [];
  const query = pg.Client.prototype.query;
  const explain = query as unknown as Explain;
  pg.Client.prototype.query = function (this: pg.Client, ...args: Parameters<typeof query>) {
    const [config, given] = args as readonly unknown[];
    const isText = typeof config === 'string';
    const sql = isText ? config : String((config as { readonly text?: string }).text);
    const values = isText ? given : (config as { readonly values?: unknown }).values;
    const text = sql.replaceAll(SPREAD_TABLE, '"$1"').replace(/"namespaces_[^"]+"/g, '"namespaces"');
    if (
      sql.match(SPREAD_TABLE) !== null &&
      !/^\s*(create|drop|explain)/.test(sql) &&
      (times.get(sql) ?? 0) < EXPLAINED_MAX
    ) {
      times.set(sql, (times.get(sql) ?? 0) + 1);
      // Sent ahead of the statement, in the same transaction: the plan is for the state that the statement meets.
      const plan = explain.call(this, {
        text: `explain (verbose, format json) ${sql}`,
        values: values as unknown[],
      });
      explained.push(
        plan.then(
          ({ rows }) => {
            const root = rows[0]?.['QUERY PLAN'][0].Plan;
            const problems = root === undefined ? ['it has no plan'] : problemsOf(sql, root);
            seen.push({ text, problems });
          },
          (error: Error) => void seen.push({ text, problems: [`it is not explained: ${error.message}`] }),
        ),
      );
    }
    return query.apply(this, args);
  } as typeof query;
  return { seen, settled: async () => void (await Promise.all(explained)) };
}

function problemsOf(sql: string, plan: PlanNode): readonly string[] {
  const nodes = nodesOf(plan);
  const touched = new Set(nodes.flatMap((node) => PARTITION.exec(node['Relation Name'] ?? '')?.[2] ?? []));
  const problems: string[] = [];
  if (touched.size > 1) problems.push(`it touches ${touched.size} shards`);
  for (const node of nodes.filter((each) => each['Node Type'] === 'ModifyTable'))
    if (node.Operation === 'Insert' && WHOLE.test(node['Relation Name'] ?? '')) {
      const first = node.Plans?.[0]?.Output?.[0] ?? '';
      if (touched.size > 0 && !ROW_NAMESPACE.test(first))
        problems.push('it makes rows of a namespace from those of another one');
      else if (!ONE_NAMESPACE.test(first) && !ROW_NAMESPACE.test(first))
        problems.push(`it inserts rows of the namespaces ${first}`);
    }
  if (sql.match(SHARED_TABLE) !== null) problems.push('it has shared tables, too');
  if (/\bset namespace\b/.test(sql)) problems.push('it changes the namespace of rows');
  if (/\bon conflict \((?!namespace\b)/.test(sql)) problems.push('it has a conflict without the namespace');
  if (/\b(random|gen_random_uuid|clock_timestamp|nextval)\b/.test(sql))
    problems.push('it has a volatile function');
  if (/\bwith\b.*\b(insert)\b/s.test(sql) && /^\s*with\b/.test(sql))
    problems.push('it inserts within another statement');
  return problems;
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What is sent from this process while `work` runs, with its result. */
export async function statementsOf<Value>(
  work: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly statements: readonly SentStatement[] }> {
  const { query } = pg.Client.prototype;
  const statements: SentStatement[] = [];
  pg.Client.prototype.query = function (this: pg.Client, ...args: Parameters<typeof query>) {
    const { text = '', values = [] } = args[0] as Partial<SentStatement>;
    statements.push({ text, values });
    return query.apply(this, args);
  } as typeof query;
  const value = await work().finally(() => {
    pg.Client.prototype.query = query;
  });
  return { value, statements };
}
