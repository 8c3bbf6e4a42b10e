// A loaded ONNX model that runs padded batches of token sequences.
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Output } from './pooling.ts';
import type { TokenSequence } from './token-frames.ts';

type Runtime = typeof import('onnxruntime-node');

/** Preferred in this order. If a model has none of them, its first output is used. */
const OUTPUTS = ['sentence_embedding', 'logits', 'last_hidden_state', 'token_embeddings'];
const POOLED_OUTPUT = 'sentence_embedding';

export interface SessionOptions {
  readonly path: string;
  readonly threads: number;
  /** The token that pads shorter sequences; the attention mask hides it. */
  readonly padId: number;
  /** Whether to use the model's own vector of the whole text, if it has one. */
  readonly isPooled: boolean;
}

export class OnnxSession {
  readonly #runtime: Runtime;
  readonly #session: InferenceSession;
  readonly #options: SessionOptions;
  readonly #output: string;

  private constructor(runtime: Runtime, session: InferenceSession, options: SessionOptions) {
    this.#runtime = runtime;
    this.#session = session;
    this.#options = options;
    const candidates = OUTPUTS.filter((name) => options.isPooled || name !== POOLED_OUTPUT);
    const names = session.outputNames;
    this.#output = candidates.find((name) => names.includes(name)) ?? names[0] ?? '';
  }

  /** @throws Error when the file is not a model, or has unsupported inputs */
  static async open(runtime: Runtime, options: SessionOptions): Promise<OnnxSession> {
    const session = await runtime.InferenceSession.create(options.path, {
      executionProviders: ['cpu'],
      intraOpNumThreads: options.threads,
      interOpNumThreads: 1,
    });
    const unknown = session.inputNames.filter((name) => !Object.hasOwn(INPUTS, name));
    if (unknown.length > 0) throw new Error(`the model has unsupported inputs: ${unknown.join(', ')}`);
    return new OnnxSession(runtime, session, options);
  }

  /** Tokens of every sequence, where the model was exported for one number of them; null where it takes any. */
  get width(): number | null {
    const [first] = this.#session.inputMetadata;
    const size = first?.isTensor === true ? first.shape[1] : undefined;
    return typeof size === 'number' && size > 0 ? size : null;
  }

  /** @throws Error when the output is not one of 32-bit floats for each sequence */
  async run(sequences: readonly TokenSequence[]): Promise<Output> {
    const width = this.width ?? Math.max(...sequences.map(({ ids }) => ids.length));
    const feeds: Record<string, Tensor> = {};
    for (const { name, type } of this.#session.inputMetadata.map(tensorInput)) {
      const numberAt = INPUTS[name];
      if (numberAt === undefined) continue;
      feeds[name] = this.#tensor(type, [sequences.length, width], (text, position) => {
        const sequence = sequences[text];
        return sequence === undefined ? 0 : numberAt(sequence, position, this.#options.padId);
      });
    }
    const results = await this.#session.run(feeds, [this.#output]);
    const output = results[this.#output];
    if (!(output?.data instanceof Float32Array))
      throw new Error('the output of the model is not 32-bit floats');
    const { data, dims } = output;
    if (dims[0] !== sequences.length)
      throw new Error(`the model returned ${dims[0]} results for ${sequences.length} texts`);
    return { data, dims };
  }

  #tensor(
    type: string,
    [rows, width]: readonly [number, number],
    numberAt: (row: number, column: number) => number,
  ): Tensor {
    const numbers = Array.from({ length: rows * width }, (_, at) =>
      numberAt(Math.floor(at / width), at % width),
    );
    return type === 'int32'
      ? new this.#runtime.Tensor('int32', Int32Array.from(numbers), [rows, width])
      : new this.#runtime.Tensor('int64', BigInt64Array.from(numbers, BigInt), [rows, width]);
  }
}

type NumberAt = (sequence: TokenSequence, position: number, padId: number) => number;

/** The supported inputs of text models, and the value of each at a position of a sequence. */
const INPUTS: Readonly<Record<string, NumberAt>> = {
  input_ids: ({ ids }, position, padId) => ids[position] ?? padId,
  attention_mask: ({ ids }, position) => (position < ids.length ? 1 : 0),
  token_type_ids: ({ types }, position) => types[position] ?? 0,
  position_ids: (_, position) => position,
};

function tensorInput(metadata: InferenceSession.ValueMetadata): {
  readonly name: string;
  readonly type: string;
} {
  return { name: metadata.name, type: metadata.isTensor ? metadata.type : 'none' };
}
