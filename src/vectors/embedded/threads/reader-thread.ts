// A reader thread: attaches to indexes as they are asked for, and runs read endpoints against them.
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { EngineCall, EngineReply } from '../../engine.ts';
import type { VectorReader } from '../../port.ts';
import { Arena } from '../memory/arena.ts';
import { Epochs } from '../memory/epochs.ts';
import { IndexReader } from '../reading/index-reader.ts';
import type { ReaderContext } from '../reading/reader-context.ts';
import { privateWorkspace } from '../reading/workspace.ts';
import { indexFolder, openForReading } from '../storage/index-files.ts';
import { writerOf } from './assignment.ts';
import { fromPlain } from './plain-error.ts';
import type { ReaderMessage, ThreadAnswer, ThreadRequest, ThreadStart, WriterMessage } from './protocol.ts';

/** Runs a read endpoint against an index. */
export type RunRead = (call: EngineCall, reader: VectorReader) => Promise<EngineReply>;

type Attachment = PromiseWithResolvers<IndexReader> & { readonly profile: IndexProfile };

export class ReaderThread {
  readonly #start: ThreadStart;
  readonly #runRead: RunRead;
  readonly #context: ReaderContext;
  readonly #readers = new Map<string, IndexReader>();
  readonly #attaching = new Map<string, Attachment>();

  constructor(start: ThreadStart, runRead: RunRead) {
    this.#start = start;
    this.#runRead = runRead;
    this.#context = { reader: start.number, epochs: new Epochs(start.epochs), workspace: privateWorkspace() };
    for (const peer of start.peers)
      peer.on('message', (message: WriterMessage) => this.#onWriter(peer, message));
  }

  async answer(request: ThreadRequest): Promise<ThreadAnswer> {
    const { callId } = request;
    switch (request.type) {
      case 'run':
        return {
          callId,
          type: 'reply',
          reply: await this.#runRead(request.call, await this.#reader(request.call.index)),
        };
      case 'close':
        await Promise.all([...this.#readers.values()].map((reader) => reader.close()));
        for (const peer of this.#start.peers) peer.close();
        return { callId, type: 'done' };
      case 'create':
      case 'drop':
      case 'size':
        throw new Error(`reader threads take no '${request.type}' requests`);
    }
  }

  #reader(profile: IndexProfile): Promise<IndexReader> | IndexReader {
    const known = this.#readers.get(profile.id);
    if (known !== undefined) return known;
    const underWay = this.#attaching.get(profile.id);
    if (underWay !== undefined) return underWay.promise;
    const attachment: Attachment = { ...Promise.withResolvers<IndexReader>(), profile };
    this.#attaching.set(profile.id, attachment);
    this.#post(profile.id, { type: 'attach', profile });
    return attachment.promise;
  }

  #post(indexId: string, message: ReaderMessage): void {
    this.#writerPort(indexId).postMessage(message);
  }

  #writerPort(indexId: string): MessagePort {
    const port = this.#start.peers[writerOf(indexId, this.#start.peers.length)];
    if (port === undefined) throw new Error('there are no writer threads');
    return port;
  }

  #onWriter(port: MessagePort, message: WriterMessage): void {
    switch (message.type) {
      case 'attached':
        this.#attached(port, message);
        break;
      case 'refused':
        this.#attaching.get(message.indexId)?.reject(fromPlain(message.error));
        this.#attaching.delete(message.indexId);
        break;
      case 'delta':
        this.#readers.get(message.indexId)?.applyDelta(message.delta);
        break;
      case 'detach': {
        const reader = this.#readers.get(message.indexId);
        this.#readers.delete(message.indexId);
        // Not at once: this message may have been taken in the middle of a search.
        if (reader !== undefined) setImmediate(() => void reader.close());
        break;
      }
    }
  }

  #attached(port: MessagePort, message: Extract<WriterMessage, { type: 'attached' }>): void {
    const { indexId } = message;
    const attachment = this.#attaching.get(indexId);
    if (attachment === undefined) return;
    this.#attaching.delete(indexId);
    try {
      const reader = this.#openReader(port, attachment.profile, message);
      this.#readers.set(indexId, reader);
      attachment.resolve(reader);
    } catch (error) {
      // Its files may be gone again: dropped since the message was posted.
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      attachment.reject(isGone ? fault('index-not-found', { name: attachment.profile.name }) : error);
    }
  }

  #openReader(
    port: MessagePort,
    profile: IndexProfile,
    message: Extract<WriterMessage, { type: 'attached' }>,
  ): IndexReader {
    const { indexId } = message;
    return new IndexReader(profile, {
      context: this.#context,
      files: openForReading(indexFolder(this.#start.dataDir, indexId), profile.dimension),
      arena: new Arena(message.memory),
      columnSeed: message.columnSeed,
      structures: message.structures,
      tooLarge: message.tooLarge,
      structureVersion: message.structureVersion,
      requestLoad: (spaceId, filterable) =>
        this.#post(indexId, { type: 'load', indexId, spaceId, filterable }),
      takeMessages: () => this.#takeMessages(port),
    });
  }

  /** Handles what the writer has posted by now, without waiting for the event loop. */
  #takeMessages(port: MessagePort): void {
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      this.#onWriter(port, next.message as WriterMessage);
    }
  }
}
