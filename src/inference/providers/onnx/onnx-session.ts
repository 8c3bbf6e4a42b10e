// A loaded ONNX model that runs padded batches of token sequences.
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Output } from './pooling.ts';
import type { TokenSequence } from './token-frames.ts';

type Runtime = typeof import('onnxruntime-node');

/** Preferred in this order; a model with other names has its first output taken. */
const OUTPUTS = ['sentence_embedding', 'logits', 'last_hidden_state', 'token_embeddings'];
const POOLED_OUTPUT = 'sentence_embedding';

export interface SessionOptions {
  readonly path: string;
  readonly threads: number;
  /** Fills shorter sequences; the mask hides it. */
  readonly padId: number;
  /** Whether the model's own vector of the whole text is wanted, where it has one. */
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
    const wanted = OUTPUTS.filter((name) => options.isPooled || name !== POOLED_OUTPUT);
    const names = session.outputNames;
    this.#output = wanted.find((name) => names.includes(name)) ?? names[0] ?? '';
  }

  /** @throws Error when the file is no model, or one with inputs that are unknown here */
  static async open(runtime: Runtime, options: SessionOptions): Promise<OnnxSession> {
    const session = await runtime.InferenceSession.create(options.path, {
      executionProviders: ['cpu'],
      intraOpNumThreads: options.threads,
      interOpNumThreads: 1,
    });
    const unknown = session.inputNames.filter((name) => !Object.hasOwn(INPUTS, name));
    if (unknown.length > 0)
      throw new Error(`the model wants the inputs ${unknown.join(', ')}, which are unknown here`);
    return new OnnxSession(runtime, session, options);
  }

  async run(sequences: readonly TokenSequence[]): Promise<Output> {
    const width = Math.max(...sequences.map(({ ids }) => ids.length));
    const feeds: Record<string, Tensor> = {};
    for (const { name, type } of this.#session.inputMetadata.map(tensorInput)) {
      const numberAt = INPUTS[name];
      if (numberAt === undefined) continue;
      feeds[name] = this.#tensor(type, [sequences.length, width], (text, place) => {
        const sequence = sequences[text];
        return sequence === undefined ? 0 : numberAt(sequence, place, this.#options.padId);
      });
    }
    const results = await this.#session.run(feeds, [this.#output]);
    const output = results[this.#output];
    if (!(output?.data instanceof Float32Array)) throw new Error('the model does not answer 32-bit floats');
    return { data: output.data, dims: output.dims };
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

type NumberAt = (sequence: TokenSequence, place: number, padId: number) => number;

/** The inputs models of text have, each by the number it wants for a place of a sequence. */
const INPUTS: Readonly<Record<string, NumberAt>> = {
  input_ids: ({ ids }, place, padId) => ids[place] ?? padId,
  attention_mask: ({ ids }, place) => (place < ids.length ? 1 : 0),
  token_type_ids: ({ types }, place) => types[place] ?? 0,
  position_ids: (_, place) => place,
};

function tensorInput(metadata: InferenceSession.ValueMetadata): {
  readonly name: string;
  readonly type: string;
} {
  return { name: metadata.name, type: metadata.isTensor ? metadata.type : 'none' };
}
