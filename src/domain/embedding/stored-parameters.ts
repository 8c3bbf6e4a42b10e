// The embedding parameters of an integrated index: read from a request, stored, and applied to the present model.
import { invalid } from '../faults.ts';
import type { EmbedModel } from '../inference/model.ts';
import type { InputType } from '../inference/model-parameters.ts';
import { type EmbedParameters, readEmbedParameters } from '../inference/read-parameters.ts';
import type { StoredParameters } from './index-embedding.ts';

export type GivenParameters = Readonly<Record<string, unknown>>;

export interface ParameterSource {
  readonly path: 'write_parameters' | 'read_parameters';
  /** The index's dimension; null when it is sparse. */
  readonly dimension: number | null;
}

const INPUT_TYPES: Readonly<Record<ParameterSource['path'], InputType>> = {
  write_parameters: 'passage',
  read_parameters: 'query',
};

/**
 * Names as the API spells them. Clients that convert the names around such an object often leave those
 * inside as their users wrote them.
 */
export function snakeCaseNames(given: GivenParameters): GivenParameters {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

/**
 * Returns the parameters to store, with all defaults filled in: as requested, since the limit of a provider may change.
 * @throws invalid-argument
 */
export function storedParameters(
  model: EmbedModel,
  given: GivenParameters,
  { path, dimension }: ParameterSource,
): StoredParameters {
  const { dimension: requested, ...rest } = snakeCaseNames(given);
  if (requested !== undefined && requested !== null && Number(requested) !== dimension) {
    throw invalid(
      dimension === null
        ? `${path}.dimension does not apply to model '${model.name}', which is sparse.`
        : `${path}.dimension must be that of the index, ${dimension}.`,
    );
  }
  const inputType = INPUT_TYPES[path];
  const { providerTokensMax: _, ...unlimited } = model;
  const read = readEmbedParameters(unlimited, withDimension(model, rest, dimension), { path, inputType });
  const kept = {
    input_type: read.inputType,
    truncate: read.truncate,
    max_tokens_per_sequence: read.tokensMax,
  };
  return Object.fromEntries(Object.entries(kept).filter(([name]) => takes(model, name)));
}

/** Returns the parameters to store after a change of stored ones. @throws invalid-argument */
export function changedParameters(
  model: EmbedModel,
  { stored, given }: { readonly stored: StoredParameters; readonly given: GivenParameters | undefined },
  source: ParameterSource,
): StoredParameters {
  return storedParameters(model, { ...known(model, stored), ...given }, source);
}

/** Returns stored parameters as the model takes them, without those it no longer knows. @throws invalid-argument */
export function appliedParameters(
  model: EmbedModel,
  stored: StoredParameters,
  place: ParameterSource,
): EmbedParameters {
  const inputType = INPUT_TYPES[place.path];
  return readEmbedParameters(model, withDimension(model, known(model, stored), place.dimension), {
    path: place.path,
    inputType,
  });
}

function known({ parameters }: EmbedModel, stored: StoredParameters): StoredParameters {
  return Object.fromEntries(
    parameters.flatMap(({ name, allowedValues }) => {
      const value = stored[name];
      return value === undefined ? [] : [[name, requestedValue(value, allowedValues)]];
    }),
  );
}

/** An older index may hold the limit of its provider in place of a greater value, which is one of a few. */
function requestedValue(
  value: StoredParameters[string],
  allowed: readonly (string | number)[] = [],
): StoredParameters[string] {
  if (typeof value !== 'number') return value;
  const greater = allowed.filter((each) => typeof each === 'number').filter((each) => each >= value);
  return greater.length === 0 ? value : Math.min(...greater);
}

/** Models of one fixed size take no such parameter. */
function withDimension(model: EmbedModel, given: GivenParameters, dimension: number | null): GivenParameters {
  return dimension !== null && takes(model, 'dimension') ? { ...given, dimension } : given;
}

function takes({ parameters }: EmbedModel, name: string): boolean {
  return parameters.some((parameter) => parameter.name === name);
}
