// Bounds how long a client may take to read its response, because the server holds that memory meanwhile.
import type { FastifyReply } from 'fastify';
import { isClosed } from './client-gone.ts';

/** Cuts the connection unless what is written by now is read within `answerMs`. */
export function boundAnswer({ raw }: Pick<FastifyReply, 'raw'>, answerMs: number): void {
  if (raw.destroyed || isClosed(raw)) return;
  const timer = setTimeout(() => raw.destroy(), answerMs).unref();
  raw.once('close', () => clearTimeout(timer));
}
