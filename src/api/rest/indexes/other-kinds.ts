// Kinds of fields and deployments that responses show but create bodies may not request; prepared to be refused as such.
import { isJsonObject } from '../../../domain/json.ts';

/**
 * The body with the kind of those parts alone: their other keys are unknown to a create body, and a caller who sends
 * back a response would get an error about such a key instead of the reason.
 */
export function withKindsAlone(body: unknown): unknown {
  const withFields = changed(body, 'schema', (schema) => changed(schema, 'fields', eachField));
  return changed(withFields, 'deployment', deploymentOf);
}

function eachField(fields: unknown): unknown {
  if (!isJsonObject(fields)) return fields;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldOf(field)]));
}

function fieldOf(field: unknown): unknown {
  if (!isJsonObject(field) || typeof field.type !== 'string') return field;
  const { type, filterable } = field;
  if (['dense_vector', 'sparse_vector', 'string'].includes(type)) return field;
  return filterable === undefined ? { type } : { type, filterable };
}

function deploymentOf(deployment: unknown): unknown {
  const isPod = isJsonObject(deployment) && deployment.deployment_type === 'pod';
  return isPod ? { deployment_type: 'pod' } : deployment;
}

function changed(value: unknown, name: string, change: (member: unknown) => unknown): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name)
    ? { ...value, [name]: change(value[name]) }
    : value;
}
