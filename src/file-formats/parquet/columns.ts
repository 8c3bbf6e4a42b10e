// Finds the columns of records in the schema of a Parquet file, and reports invalid ones.
import { type FileMetaData, type ParquetType, parquetSchema, type SchemaTree } from 'hyparquet';
import { allNames, type ColumnNames } from '../../domain/imports/column-names.ts';
import { FileProblem } from '../file-bytes.ts';

/** One physical column. */
export interface Leaf {
  /** The names from the root, joined by dots: for messages. */
  readonly path: string;
  /** The names from the root, as `leafKey` joins them; unique in a file. */
  readonly key: string;
  readonly type: ParquetType;
  readonly typeLength: number | undefined;
  /** True for 16-bit floats, which are stored as two bytes. */
  readonly isHalf: boolean;
  /** True for whole numbers without a sign, which pages have as signed ones. */
  readonly isUnsigned: boolean;
  /** The definition level of a present value. */
  readonly definitionMax: number;
  /** 1 in lists, else 0. */
  readonly repetitionMax: number;
  /** The minimum definition level of list entries; 0 outside lists. */
  readonly entryLevel: number;
}

export interface RecordColumns {
  readonly id: Leaf;
  readonly values: Leaf | null;
  readonly sparse: { readonly indices: Leaf; readonly values: Leaf } | null;
  /** A column of JSON texts. */
  readonly metadata: Leaf | null;
  /** The fields of a struct in its place. */
  readonly fields: ReadonlyMap<string, Leaf>;
  /** Columns of texts by name. */
  readonly texts: ReadonlyMap<string, Leaf>;
}

const FLOATS = ['FLOAT', 'DOUBLE'];
const INTEGERS = ['INT32', 'INT64'];
const TEXTS = ['BYTE_ARRAY'];
/** Of fields of metadata: strings, numbers and booleans. */
const SCALARS = ['BYTE_ARRAY', 'INT32', 'INT64', 'FLOAT', 'DOUBLE', 'BOOLEAN'];
/** Their numbers mean something else: dates, decimals. */
const PLAIN_LOGICAL_TYPES = ['STRING', 'INTEGER', 'ENUM', 'JSON', 'UUID', 'FLOAT16'];

/** Names from the column to the value of a field; below a list are the groups of its entries. What is deeper is a struct. */
const FIELD_DEPTH = 2;
const LIST_FIELD_DEPTH_MAX = 4;

/** Joins the names of a leaf so that no two leaves share a key: names may have dots, but no NUL. */
export function leafKey(names: readonly string[]): string {
  return names.join('\0');
}

/** @throws FileProblem if a column is missing, unknown or of another type */
export function findColumns(metadata: FileMetaData, names: ColumnNames): RecordColumns {
  const root = parquetSchema(metadata);
  const known = allNames(names);
  const unknown = root.children.find(({ element }) => !known.includes(element.name));
  if (unknown !== undefined) {
    throw new FileProblem(`unknown column '${unknown.element.name}'; expected ${known.join(', ')}`);
  }
  const id = child(root, names.id);
  if (id === undefined) throw new FileProblem(`it has no column '${names.id}'`);
  const values = names.values === null ? undefined : child(root, names.values);
  const sparse = names.sparse === null ? undefined : child(root, names.sparse);
  const text = child(root, names.metadata);
  const texts = names.texts.flatMap((name) => {
    const column = child(root, name);
    return column === undefined ? [] : [[name, leafOf([root, column], TEXTS, 0)] as const];
  });
  return {
    texts: new Map(texts),
    id: leafOf([root, id], TEXTS, 0),
    values: values === undefined ? null : leafOf([root, values], FLOATS, 1),
    sparse: sparse === undefined ? null : sparseOf(root, sparse),
    ...metadataOf(root, text),
  };
}

/** Metadata is a text of JSON, or a struct of its fields. */
function metadataOf(
  root: SchemaTree,
  column: SchemaTree | undefined,
): Pick<RecordColumns, 'metadata' | 'fields'> {
  if (column === undefined) return { metadata: null, fields: new Map() };
  const isText = column.children.length === 0;
  if (isText) return { metadata: leafOf([root, column], TEXTS, 0), fields: new Map() };
  const fields = column.children.map(
    (field) => [field.element.name, fieldLeaf([root, column, field])] as const,
  );
  return { metadata: null, fields: new Map(fields) };
}

function fieldLeaf(path: readonly SchemaTree[]): Leaf {
  const [, column, field] = path;
  const name = `${column?.element.name}.${field?.element.name}`;
  const leaf = onlyLeaf(path);
  const isList = leaf?.repetitionMax === 1;
  const depth = leaf?.key.split('\0').length ?? 0;
  const isPlain =
    leaf !== undefined &&
    depth <= (isList ? LIST_FIELD_DEPTH_MAX : FIELD_DEPTH) &&
    PLAIN_LOGICAL_TYPES.includes(leaf.logicalType) &&
    (isList ? TEXTS : SCALARS).includes(leaf.type) &&
    leaf.repetitionMax <= 1;
  if (isPlain) return leaf;
  throw new FileProblem(`the field '${name}' must be a string, a number, a boolean or a list of strings`);
}

function sparseOf(root: SchemaTree, sparse: SchemaTree): { readonly indices: Leaf; readonly values: Leaf } {
  const indices = child(sparse, 'indices');
  const values = child(sparse, 'values');
  if (indices === undefined || values === undefined || sparse.children.length !== 2) {
    throw new FileProblem(
      `the column '${sparse.element.name}' must be a struct of the lists indices and values`,
    );
  }
  return {
    indices: leafOf([root, sparse, indices], INTEGERS, 1),
    values: leafOf([root, sparse, values], FLOATS, 1),
  };
}

function child(node: SchemaTree, name: string): SchemaTree | undefined {
  return node.children.find(({ element }) => element.name === name);
}

/** The one physical column under a node, however many groups the writer nests around list entries. */
function leafOf(start: readonly SchemaTree[], types: readonly string[], repetitions: number): Leaf {
  const leaf = onlyLeaf(start);
  const isFit = leaf !== undefined && (types.includes(leaf.type) || (leaf.isHalf && types === FLOATS));
  if (isFit && leaf.repetitionMax === repetitions) return leaf;
  throw wrongType(start, types, repetitions);
}

/** Undefined where the node has several. */
function onlyLeaf(start: readonly SchemaTree[]): (Leaf & { readonly logicalType: string }) | undefined {
  const path = [...start];
  for (let node = path.at(-1); node !== undefined && node.children.length > 0; node = path.at(-1)) {
    const [only, ...others] = node.children;
    if (only === undefined || others.length > 0) return undefined;
    path.push(only);
  }
  const nodes = path.slice(1);
  const {
    type,
    type_length: typeLength,
    logical_type: logical,
    converted_type: converted,
  } = nodes.at(-1)?.element ?? {};
  if (type === undefined) return undefined;
  const names = nodes.map(({ element }) => element.name);
  return {
    path: names.join('.'),
    key: leafKey(names),
    type,
    typeLength,
    isHalf: logical?.type === 'FLOAT16' && type === 'FIXED_LEN_BYTE_ARRAY' && typeLength === 2,
    isUnsigned: logical?.type === 'INTEGER' ? !logical.isSigned : (converted?.startsWith('UINT_') ?? false),
    logicalType: logical?.type ?? convertedName(converted),
    ...levelsOf(nodes),
  };
}

/** The logical type of an older file. */
function convertedName(converted: string | undefined): string {
  if (converted === undefined || converted === 'UTF8') return 'STRING';
  return /^U?INT_/.test(converted) ? 'INTEGER' : converted;
}

function levelsOf(nodes: readonly SchemaTree[]) {
  let definitionMax = 0;
  let repetitionMax = 0;
  let entryLevel = 0;
  for (const { element } of nodes) {
    if (element.repetition_type !== 'REQUIRED') definitionMax++;
    if (element.repetition_type !== 'REPEATED') continue;
    repetitionMax++;
    entryLevel = definitionMax;
  }
  return { definitionMax, repetitionMax, entryLevel };
}

function wrongType(path: readonly SchemaTree[], types: readonly string[], repetitions: number): FileProblem {
  // Below the column, and below the list of a sparse vector, there are only the groups of lists.
  const [column = '', list] = path.slice(1).map(({ element }) => element.name);
  const name = list === 'indices' || list === 'values' ? `${column}.${list}` : column;
  const expectedType = { FLOAT: 'float or double', INT32: 'int32 or int64', BYTE_ARRAY: 'string' }[
    types[0] ?? ''
  ];
  return new FileProblem(
    `the column '${name}' must be of type ${repetitions === 1 ? `list of ${expectedType}` : expectedType}`,
  );
}
