// Writes small ONNX files: nodes, weights, and the inputs of text models (fields as in onnx.proto).
import { type Field, message } from './protobuf.ts';

const FLOAT = 1;
const INT64 = 7;
const IR_VERSION = 8;
const OPSET_VERSION = 17;
const ATTRIBUTE_INT = 2;

export interface Node {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly ints?: Readonly<Record<string, number>>;
}

export interface Weights {
  readonly name: string;
  readonly dims: readonly number[];
  readonly data: Float32Array | BigInt64Array;
}

export interface Graph {
  readonly inputs: readonly string[];
  /** Tokens of each sequence, for a model exported with a fixed number of them. */
  readonly width?: number;
  readonly output: { readonly name: string; readonly dims: readonly (string | number)[] };
  readonly nodes: readonly Node[];
  readonly weights: readonly Weights[];
}

/** The bytes of a model file. */
export function onnxFile({ inputs, width, output, nodes, weights }: Graph): Buffer {
  const graph = message(
    ...nodes.map((node): Field => [1, nodeProto(node)]),
    [2, 'graph'],
    ...weights.map((each): Field => [5, tensorProto(each)]),
    ...inputs.map((name): Field => [11, valueInfo(name, INT64, ['texts', width ?? 'tokens'])]),
    [12, valueInfo(output.name, FLOAT, output.dims)],
  );
  return message([1, IR_VERSION], [7, graph], [8, message([1, ''], [2, OPSET_VERSION])]);
}

function nodeProto({ op, inputs, output, ints = {} }: Node): Buffer {
  return message(
    ...inputs.map((name): Field => [1, name]),
    [2, output],
    [4, op],
    ...Object.entries(ints).map(
      ([name, value]): Field => [5, message([1, name], [3, value], [20, ATTRIBUTE_INT])],
    ),
  );
}

function tensorProto({ name, dims, data }: Weights): Buffer {
  return message(
    ...dims.map((size): Field => [1, size]),
    [2, data instanceof Float32Array ? FLOAT : INT64],
    [8, name],
    [9, Buffer.from(data.buffer, data.byteOffset, data.byteLength)],
  );
}

function valueInfo(name: string, type: number, dims: readonly (string | number)[]): Buffer {
  const shape = message(
    ...dims.map((size): Field => [1, typeof size === 'number' ? message([1, size]) : message([2, size])]),
  );
  return message([1, name], [2, message([1, message([1, type], [2, shape])])]);
}
