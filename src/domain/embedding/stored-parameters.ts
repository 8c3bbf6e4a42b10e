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

/** Returns the parameters to store, with all defaults filled in. @throws invalid-argument */
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
  const read = readEmbedParameters(model, withDimension(model, rest, dimension), { path, inputType });
  const kept = {
    input_type: read.inputType,
    truncate: read.truncate,
    max_tokens_per_sequence: read.tokensMax,
  };
  return Object.fromEntries(Object.entries(kept).filter(([name]) => takes(model, name)));
}

/** Returns stored parameters as the model takes them, without those it no longer knows. @throws invalid-argument */
export function appliedParameters(
  model: EmbedModel,
  stored: StoredParameters,
  place: ParameterSource,
): EmbedParameters {
  const known = Object.fromEntries(Object.entries(stored).filter(([name]) => takes(model, name)));
  const inputType = INPUT_TYPES[place.path];
  return readEmbedParameters(model, withDimension(model, known, place.dimension), {
    path: place.path,
    inputType,
  });
}

/** Models of one fixed size take no such parameter. */
function withDimension(model: EmbedModel, given: GivenParameters, dimension: number | null): GivenParameters {
  return dimension !== null && takes(model, 'dimension') ? { ...given, dimension } : given;
}

function takes({ parameters }: EmbedModel, name: string): boolean {
  return parameters.some((parameter) => parameter.name === name);
}
