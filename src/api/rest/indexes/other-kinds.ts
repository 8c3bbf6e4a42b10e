// Kinds of fields and deployments that responses show but create bodies may not request; prepared to be refused as such.

type Members = Readonly<Record<string, unknown>>;

/**
 * The body with the kind of those parts alone: their other keys are unknown to a create body, and a
 * caller who sends back a response would get an error about such a key instead of the reason.
 */
export function withKindsAlone(body: unknown): unknown {
  const withFields = changed(body, 'schema', (schema) => changed(schema, 'fields', eachField));
  return changed(withFields, 'deployment', deploymentOf);
}

function eachField(fields: unknown): unknown {
  if (!isObject(fields)) return fields;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldOf(field)]));
}

function fieldOf(field: unknown): unknown {
  if (!isObject(field) || typeof field.type !== 'string') return field;
  const { type, full_text_search: search = null } = field;
  const isKnown =
    type === 'dense_vector' || type === 'sparse_vector' || (type === 'string' && search !== null);
  return isKnown ? field : { type };
}

function deploymentOf(deployment: unknown): unknown {
  const isPod = isObject(deployment) && deployment.deployment_type === 'pod';
  return isPod ? { deployment_type: 'pod' } : deployment;
}

function changed(value: unknown, name: string, change: (member: unknown) => unknown): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? { ...value, [name]: change(value[name]) } : value;
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
