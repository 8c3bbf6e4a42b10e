// The setting that maps the model names of chat requests to models of the language model server.

import { isJsonObject } from '../domain/json.ts';
import { BadValue, type SettingKind } from './setting-kinds.ts';

export const chatModelNames: SettingKind<Readonly<Record<string, string>>> = {
  form: 'JSON object of names',
  read: (value) => {
    const names = jsonOf(value);
    if (!isNameMap(names)) {
      throw new BadValue('must be a JSON object of names, like {"*": "llama3"}');
    }
    return names;
  },
};

function isNameMap(json: unknown): json is Readonly<Record<string, string>> {
  return isJsonObject(json) && Object.values(json).every((name) => typeof name === 'string' && name !== '');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
