// The setting that says which model answers for a name that chats ask for.
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
        `names a model that chats cannot ask for; they can for ${CHAT_MODELS.join(', ')}, and * is all`,
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
