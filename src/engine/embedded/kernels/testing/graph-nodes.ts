// Reads the nodes of a graph from shared memory; for tests.
import { nodeBytes, nodesPerFrame } from '../graph.ts';
import {
  codeStride,
  GRAPH_CENTER,
  GRAPH_MAX_DEGREE,
  GRAPH_NODE_CODE_BITS,
  GRAPH_NODE_FRAMES,
  NODE_CODE_BITS,
  NODE_CODE_FACTOR,
  NODE_CODE_NORM_SQUARED,
  NODE_HEADER_BYTES,
} from '../layout.ts';

const LOCKED = 0x80000000;
const PRESENT = 0x40000000;
const DEGREE = 0xffff;
const EDGE_SLOT = 0x7fffffff;

/** A node's binary code. */
export interface NodeCode {
  readonly factor: number;
  readonly normSquared: number;
  /** By component. */
  readonly isNegative: readonly boolean[];
}

/** The nodes of a graph, as long as its memory and its frames stay where they are. */
export class GraphNodes {
  readonly #u32: Uint32Array;
  readonly #f32: Float32Array;
  readonly #graph: number;
  readonly #maxDegree: number;
  readonly #codeBits: number;

  /** @param graph address of its header */
  constructor(memory: WebAssembly.Memory, graph: number) {
    this.#u32 = new Uint32Array(memory.buffer);
    this.#f32 = new Float32Array(memory.buffer);
    this.#graph = graph;
    this.#maxDegree = this.#header(GRAPH_MAX_DEGREE);
    this.#codeBits = this.#header(GRAPH_NODE_CODE_BITS);
  }

  isPresent(slot: number): boolean {
    return (this.#stateOf(slot) & PRESENT) !== 0;
  }

  isLocked(slot: number): boolean {
    return (this.#stateOf(slot) & LOCKED) !== 0;
  }

  /** The slots that a node's edges lead to. */
  neighborsOf(slot: number): readonly number[] {
    const edges = (this.#addressOf(slot) + NODE_HEADER_BYTES) / 4;
    const degree = this.#stateOf(slot) & DEGREE;
    return [...this.#u32.subarray(edges, edges + degree)].map((edge) => edge & EDGE_SLOT);
  }

  /** The binary code of a node that has one. */
  codeOf(slot: number): NodeCode {
    const at = this.#addressOf(slot) + NODE_HEADER_BYTES + 4 * this.#maxDegree;
    const bits = new Uint8Array(this.#u32.buffer, at + NODE_CODE_BITS, Math.ceil(this.#codeBits / 8));
    return {
      factor: this.#f32[(at + NODE_CODE_FACTOR) / 4] ?? Number.NaN,
      normSquared: this.#f32[(at + NODE_CODE_NORM_SQUARED) / 4] ?? Number.NaN,
      isNegative: Array.from(
        { length: this.#codeBits },
        (_, i) => (((bits[i >> 3] ?? 0) >> (i & 7)) & 1) === 1,
      ),
    };
  }

  /** The center of the nodes' binary codes. */
  center(): Float32Array {
    const at = this.#header(GRAPH_CENTER);
    const scale = this.#f32[(at + codeStride(this.#codeBits)) / 4] ?? Number.NaN;
    return Float32Array.from(new Int8Array(this.#u32.buffer, at, this.#codeBits), (code) => code * scale);
  }

  #stateOf(slot: number): number {
    return this.#u32[this.#addressOf(slot) / 4] ?? 0;
  }

  #addressOf(slot: number): number {
    const perFrame = nodesPerFrame(this.#maxDegree, this.#codeBits);
    const frame = this.#u32[this.#header(GRAPH_NODE_FRAMES) / 4 + Math.floor(slot / perFrame)] ?? 0;
    return frame + (slot % perFrame) * nodeBytes(this.#maxDegree, this.#codeBits);
  }

  #header(byte: number): number {
    return this.#u32[(this.#graph + byte) / 4] ?? 0;
  }
}
