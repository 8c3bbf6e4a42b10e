// GET /models/{model_name}: describes a model.

import { fault } from '../../../domain/faults.ts';
import { quoted } from '../../../domain/quoted.ts';
import { Type } from '../../schema/type.ts';
import type { InferenceEndpoint } from './inference-endpoint.ts';
import { modelToWire } from './model-wire.ts';
import { ModelInfo } from './schemas.ts';

export const describeModel: InferenceEndpoint = {
  id: 'get_model',
  method: 'GET',
  path: '/models/{model_name}',
  tag: 'Inference',
  summary: 'Describe a model',
  since: '2025-04',
  permission: 'data_plane::inference::use',
  errors: 'standard',
  params: Type.Object({
    model_name: Type.String({ description: 'Name of the model.', examples: ['multilingual-e5-large'] }),
  }),
  success: { status: 200, description: 'The model.', schema: ModelInfo },
  faults: ['model-info-not-found'],
  handle: async ({ params, services: { inference } }) => {
    const name = params.model_name ?? '';
    const model = inference.model(name);
    if (model === undefined) throw fault('model-info-not-found', { name: quoted(name) });
    return { status: 200, body: modelToWire(model) };
  },
};
