// The setting that names the models of assistants: for meaning, for words, and for the order of what was found.
import { MODEL_ROLES, type ModelNames } from '../app/assistants/assistant-models.ts';
import { isJsonObject } from '../domain/json.ts';
import { BadValue, type SettingKind } from './setting-kinds.ts';

export const assistantModelNames: SettingKind<Partial<ModelNames>> = {
  form: 'JSON object with dense, sparse and rerank, or the name of a dense model',
  read: (value) => {
    if (!value.startsWith('{')) return { dense: value };
    const json = parsed(value);
    const isFit =
      isJsonObject(json) &&
      Object.entries(json).every(
        ([role, name]) =>
          MODEL_ROLES.some((each) => each === role) && typeof name === 'string' && name !== '',
      );
    if (!isFit) throw new BadValue('must be a name, or a JSON object like {"dense": "all-minilm-l6-v2"}');
    return json;
  },
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
