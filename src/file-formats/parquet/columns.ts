// Finds the columns of records in the schema of a Parquet file, and reports invalid ones.
import { type FileMetaData, type ParquetType, parquetSchema, type SchemaTree } from 'hyparquet';
import { allNames, type ColumnNames } from '../../domain/imports/column-names.ts';
import type { FieldNames } from '../../domain/imports/renamed-columns.ts';
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
  /** Fields of metadata by their names: those of a struct in its place, and those with columns of their own. */
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

/** Columns that become fields of metadata. */
const FIELD_COLUMNS_MAX = 1_000;
/** Names from the column to the value of a field; below a list are the groups of its entries. What is deeper is a struct. */
const FIELD_DEPTH = 2;
const LIST_FIELD_DEPTH_MAX = 4;

/** Joins the names of a leaf so that no two leaves share a key: names may have dots, but no NUL. */
export function leafKey(names: readonly string[]): string {
  return names.join('\0');
}

/**
 * @param renamed fields of records whose columns have other names in the file
 * @throws FileProblem if a column is missing, unknown, there twice or of another type
 */
export function findColumns(metadata: FileMetaData, names: ColumnNames, renamed: FieldNames): RecordColumns {
  const stored = parquetSchema(metadata);
  const root = withValues(stored) ?? { ...stored, children: [] };
  const columns = columnsByField(root, renamed);
  requireRenamed(stored, renamed);
  const known = [...allNames(names), ...(names.otherIds ?? [])];
  const others = [...columns].filter(([name]) => !known.includes(name));
  const [unknown] = others;
  if (unknown !== undefined && names.takesOthers !== true) {
    throw new FileProblem(`unknown column '${unknown[1].element.name}'; expected ${known.join(', ')}`);
  }
  const id = idColumn(columns, names);
  const values = names.values === null ? undefined : columns.get(names.values);
  const sparse = names.sparse === null ? undefined : columns.get(names.sparse);
  const text = columns.get(names.metadata);
  const texts = names.texts.flatMap((name) => {
    const column = columns.get(name);
    return column === undefined ? [] : [[name, leafOf([root, column], TEXTS, 0)] as const];
  });
  const isText = text !== undefined && text.children.length === 0;
  const struct = text?.children.map((field) => [field.element.name, fieldLeaf([root, text, field])] as const);
  return {
    texts: new Map(texts),
    id: leafOf([root, id], TEXTS, 0),
    values: values === undefined ? null : leafOf([root, values], FLOATS, 1),
    sparse: sparse === undefined ? null : sparseOf(root, sparse),
    metadata: isText ? leafOf([root, text], TEXTS, 0) : null,
    fields: fieldsOf([
      ...(struct ?? []),
      ...others.flatMap(([name, column]) => otherFields([root, column], name)),
    ]),
  };
}

/** The columns of the file by the fields of records. */
function columnsByField(root: SchemaTree, renamed: FieldNames): ReadonlyMap<string, SchemaTree> {
  const columns = new Map<string, SchemaTree>();
  for (const column of root.children) {
    const { name } = column.element;
    const field = renamed.get(name) ?? name;
    if (columns.has(field)) throw new FileProblem(`there are two columns for '${field}'`);
    columns.set(field, column);
  }
  return columns;
}

function requireRenamed(root: SchemaTree, renamed: FieldNames): void {
  for (const [name, field] of renamed) {
    if (child(root, name) === undefined) throw new FileProblem(`it has no column '${name}' for '${field}'`);
  }
}

/**
 * The node without the leaves of the type that writers give to what is always null: such a column says no more than one
 * that is absent. Null where nothing is left.
 */
function withValues(node: SchemaTree): SchemaTree | null {
  if (node.children.length === 0) return node.element.logical_type?.type === 'NULL' ? null : node;
  const children = node.children.flatMap((inner) => withValues(inner) ?? []);
  return children.length === 0 ? null : { ...node, children };
}

function idColumn(columns: ReadonlyMap<string, SchemaTree>, { id, otherIds = [] }: ColumnNames): SchemaTree {
  const found = [id, ...otherIds].flatMap((name) => columns.get(name) ?? []);
  const [only, ...more] = found;
  if (only === undefined) throw new FileProblem(`it has no column '${id}'`);
  if (more.length > 0) throw new FileProblem(`there are two columns for '${id}'`);
  return only;
}

function fieldsOf(found: readonly (readonly [string, Leaf])[]): ReadonlyMap<string, Leaf> {
  if (found.length > FIELD_COLUMNS_MAX) {
    throw new FileProblem(
      `it has ${found.length} columns of metadata; at most ${FIELD_COLUMNS_MAX} are read`,
    );
  }
  const fields = new Map(found);
  if (fields.size === found.length) return fields;
  const names = found.map(([name]) => name);
  throw new FileProblem(`there are two columns for '${names.find((name, at) => names.indexOf(name) < at)}'`);
}

/** A column as a field; a struct as fields with dotted names. */
function otherFields(path: readonly SchemaTree[], name: string): readonly (readonly [string, Leaf])[] {
  const node = path.at(-1);
  const isStruct = node !== undefined && node.children.length > 0 && !isList(node);
  if (!isStruct) return [[name, plainLeaf(path, Number.POSITIVE_INFINITY, `column '${name}'`)]];
  return node.children.flatMap((inner) => otherFields([...path, inner], `${name}.${inner.element.name}`));
}

function isList({ element, children }: SchemaTree): boolean {
  const isNamed = element.converted_type === 'LIST' || element.logical_type?.type === 'LIST';
  return (
    isNamed || element.repetition_type === 'REPEATED' || children[0]?.element.repetition_type === 'REPEATED'
  );
}

function fieldLeaf(path: readonly SchemaTree[]): Leaf {
  const [, column, field] = path;
  const isRepeated = onlyLeaf(path)?.repetitionMax === 1;
  const depthMax = isRepeated ? LIST_FIELD_DEPTH_MAX : FIELD_DEPTH;
  return plainLeaf(path, depthMax, `field '${column?.element.name}.${field?.element.name}'`);
}

/** @param what the column or field, for messages */
function plainLeaf(path: readonly SchemaTree[], depthMax: number, what: string): Leaf {
  const leaf = onlyLeaf(path);
  const isPlain =
    leaf !== undefined &&
    leaf.key.split('\0').length <= depthMax &&
    PLAIN_LOGICAL_TYPES.includes(leaf.logicalType) &&
    (leaf.repetitionMax === 1 ? TEXTS : SCALARS).includes(leaf.type) &&
    leaf.repetitionMax <= 1;
  if (isPlain) return leaf;
  throw new FileProblem(`the ${what} must be a string, a number, a boolean or a list of strings`);
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
