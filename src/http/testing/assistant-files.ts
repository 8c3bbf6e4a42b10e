// The files of an assistant over HTTP, for tests.
import { type AssistantServer, formOf } from './assistant-server.ts';

/** Calls for the files of an assistant. */
export function filesOf({ ask }: Pick<AssistantServer, 'ask'>, assistant: string) {
  const path = `/assistant/files/${assistant}`;
  return {
    upload: (name: string, text: string, metadata?: unknown) =>
      ask('POST', path, { body: formOf(name, text, metadata) }),
    /** Uploads `notes.txt` under an id. */
    put: (id: string, text: string, metadata?: unknown) =>
      ask('PUT', `${path}/${id}`, { body: formOf('notes.txt', text, metadata) }),
    describe: (id: string, query = '') => ask('GET', `${path}/${id}${query}`),
  };
}
