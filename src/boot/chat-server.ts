// Settles which server answers chats: the one of the settings, or one found on this machine.
import { type FoundServer, findServer, USUAL_SERVERS } from '../inference/language-models/find-server.ts';
import { AUTO } from './setting-kinds.ts';
import type { Settings } from './settings.ts';

const QUOTING_NOTICE =
  'Assistants answer with quotes from their files. Set PINYON_CHAT_URL for answers from a language model (docs/assistants.md).';

export interface SettledChat {
  /** With an address, or with null where no language model answers. */
  readonly settings: Settings;
  /** For the start message, one sentence each. */
  readonly notices: readonly string[];
}

/** Looks for a server only where the setting says so. @param find replaced in tests */
export async function withChatServer(
  settings: Settings,
  find: () => Promise<FoundServer | null> = findServer,
): Promise<SettledChat> {
  if (settings.chatUrl === null) return { settings, notices: [QUOTING_NOTICE] };
  if (settings.chatUrl !== AUTO) return { settings, notices: [] };
  const found = await find();
  if (found === null) {
    const names = USUAL_SERVERS.map(({ name, url }) => `${name} (${new URL(url).host})`).join(', ');
    const notice = `No language model was found on this machine, so assistants answer with quotes. Asked: ${names}.`;
    return { settings: { ...settings, chatUrl: null }, notices: [notice] };
  }
  const { name, url, model } = found;
  return {
    settings: { ...settings, chatUrl: url, chatModels: { '*': model, ...settings.chatModels } },
    notices: [
      `${name} at ${url} answers for assistants, by ${model} unless PINYON_CHAT_MODELS says otherwise.`,
    ],
  };
}
