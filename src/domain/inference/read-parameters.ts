// Reads the `parameters` of a request by the rules of its model.
import { invalid } from '../faults.ts';
import type { EmbedModel, Model, ModelParameter, ParameterValue, RerankModel } from './model.ts';
import { INPUT_TYPES, type InputType, TRUNCATIONS, type Truncation } from './model-parameters.ts';

/** All parameters of an embedding, with defaults filled in. */
export interface EmbedParameters {
  readonly inputType: InputType;
  readonly truncate: Truncation;
  /** Null exactly for sparse models. */
  readonly dimension: number | null;
  /** Tokens of one input. */
  readonly tokensMax: number;
  /** Sparse models only. */
  readonly returnTokens: boolean;
  /** Whether a sparse query for a search should also have related words, if the model knows any. */
  readonly expandsQuery?: boolean;
}

export interface RerankParameters {
  readonly truncate: Truncation;
  /** Tokens of query and document together, or of a document, as the model counts. */
  readonly tokensMax: number;
}

export interface ReadOptions {
  /** Names the object in messages. */
  readonly path?: string;
  /** Names a parameter in messages, for callers with other names; by default as it is, below the path. */
  readonly nameOf?: (parameter: string) => string;
  /** The default input type: integrated indexes know it. */
  readonly inputType?: InputType;
}

type Given = Readonly<Record<string, unknown>>;
type Values = ReadonlyMap<string, ParameterValue>;

/**
 * Accepts numbers and booleans as text, as untyped callers send them.
 * @throws invalid-argument for unknown parameters, wrong values, and a required one that is missing
 */
export function readEmbedParameters(
  model: EmbedModel,
  given: Given,
  options: ReadOptions = {},
): EmbedParameters {
  const preset = options.inputType === undefined ? {} : { input_type: options.inputType };
  const values = readValues(model, withoutNulls({ ...preset, ...withoutNulls(given) }), options);
  const dense = model.vectorType === 'dense';
  return {
    inputType: INPUT_TYPES.find((each) => each === values.get('input_type')) ?? 'passage',
    truncate: truncationOf(values),
    dimension: dense ? numberOf(values, 'dimension', model.defaultDimension) : null,
    tokensMax: tokensMaxOf(model, values, 'max_tokens_per_sequence'),
    returnTokens: values.get('return_tokens') === true,
  };
}

/** @throws invalid-argument as `readEmbedParameters` */
export function readRerankParameters(
  model: RerankModel,
  given: Given,
  options: ReadOptions = {},
): RerankParameters {
  const values = readValues(model, withoutNulls(given), options);
  return {
    truncate: truncationOf(values),
    tokensMax: tokensMaxOf(model, values, 'max_tokens_per_doc'),
  };
}

/** Models without the parameter cut: their callers cannot ask for anything else. */
function truncationOf(values: Values): Truncation {
  return TRUNCATIONS.find((each) => each === values.get('truncate')) ?? 'END';
}

function tokensMaxOf(model: Model, values: Values, name: string): number {
  const { maxSequenceLength, providerTokensMax } = model;
  return Math.min(numberOf(values, name, maxSequenceLength), providerTokensMax ?? Number.POSITIVE_INFINITY);
}

function numberOf(values: Values, name: string, preset: number): number {
  const value = values.get(name);
  return typeof value === 'number' ? value : preset;
}

function withoutNulls(given: Given): Given {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== null && value !== undefined),
  );
}

function readValues(model: Model, given: Given, { path = 'parameters', nameOf }: ReadOptions): Values {
  const shown = nameOf ?? ((name: string) => `${path}.${name}`);
  const known = new Set(model.parameters.map(({ name }) => name));
  for (const name of Object.keys(given)) {
    if (known.has(name)) continue;
    const supported = known.size === 0 ? 'It takes none.' : `It takes ${[...known].join(', ')}.`;
    throw invalid(`${shown(name)} is not a parameter of model '${model.name}'. ${supported}`);
  }
  const values = new Map<string, ParameterValue>();
  for (const parameter of model.parameters) {
    const value = readValue(
      parameter,
      Object.hasOwn(given, parameter.name) ? given[parameter.name] : undefined,
    );
    if (value === 'wrong') {
      throw invalid(`${shown(parameter.name)} must be ${ruleOf(parameter)} for model '${model.name}'.`);
    }
    if (value === 'missing') {
      throw invalid(
        `${shown(parameter.name)} is required for model '${model.name}'; it is ${ruleOf(parameter)}.`,
      );
    }
    if (value !== undefined) values.set(parameter.name, value.value);
  }
  return values;
}

type Read = { readonly value: ParameterValue } | 'wrong' | 'missing' | undefined;

function readValue(parameter: ModelParameter, given: unknown): Read {
  if (given === undefined) {
    if (parameter.required) return 'missing';
    return parameter.default === undefined ? undefined : { value: parameter.default };
  }
  const value = typedValue(parameter, given);
  return value !== undefined && isAllowed(parameter, value) ? { value } : 'wrong';
}

function typedValue({ valueType }: ModelParameter, given: unknown): ParameterValue | undefined {
  if (valueType === 'string') return typeof given === 'string' ? given : undefined;
  if (valueType === 'boolean') {
    if (given === 'true' || given === 'false') return given === 'true';
    return typeof given === 'boolean' ? given : undefined;
  }
  const number = typeof given === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(given) ? Number(given) : given;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  return valueType === 'float' || Number.isInteger(number) ? number : undefined;
}

function isAllowed({ allowedValues, min, max }: ModelParameter, value: ParameterValue): boolean {
  if (allowedValues !== undefined && !allowedValues.some((allowed) => allowed === value)) return false;
  if (typeof value !== 'number') return true;
  return value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY);
}

function ruleOf({ allowedValues, min, max, valueType }: ModelParameter): string {
  if (allowedValues !== undefined) return `one of ${allowedValues.join(', ')}`;
  if (min !== undefined && max !== undefined)
    return `a${valueType === 'integer' ? 'n integer' : ' number'} from ${min} to ${max}`;
  return valueType === 'boolean' ? 'true or false' : `of type ${valueType}`;
}
