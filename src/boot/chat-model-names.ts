// The setting that maps the model names of chat requests to models of the language model server.
import { CHAT_MODELS } from '../domain/assistants/chat-models.ts';
import { BadValue, type SettingKind } from './setting-kinds.ts';

export const chatModelNames: SettingKind<Readonly<Record<string, string>>> = {
  form: 'JSON object of names',
  read: (value) => {
    const names = jsonOf(value);
    const isMap = typeof names === 'object' && names !== null && !Array.isArray(names);
    if (!isMap || Object.values(names).some((name) => typeof name !== 'string' || name === '')) {
      throw new BadValue('must be a JSON object of names, like {"*": "llama3"}');
    }
    const unknown = Object.keys(names).find(
      (name) => name !== '*' && !CHAT_MODELS.some((each) => each === name),
    );
    if (unknown !== undefined) {
      throw new BadValue(
        `names a model that chats cannot request; expected ${CHAT_MODELS.join(', ')} or * for all`,
      );
    }
    return names as Readonly<Record<string, string>>;
  },
};

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
