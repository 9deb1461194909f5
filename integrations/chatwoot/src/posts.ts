/**
 * Posts to Chatwoot, each once: what is posted carries an id of Handset as its source_id, so an attempt whose end is not known looks for
 * it there before it posts.
 */
import { openAsBlob, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { NewFile, ChatwootClient, NewMessage } from './chatwoot.ts';
import type { HandsetClient, Message } from './handset.ts';
import { Refused, isForGood } from './http.ts';
import type { Pair, State } from './state.ts';

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'video/mp4': 'mp4',
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/aac': 'aac',
  'application/pdf': 'pdf',
};

const nameOf = ({ id, type, media }: Message, mimetype: string): string =>
  media?.fileName ?? `${type}-${id.replaceAll(/\W/g, '')}.${extensions[mimetype] ?? 'bin'}`;

/** Gives the file of a message to `use`, or null where the network no longer has it. */
const withFile = async <T>(
  handset: HandsetClient,
  message: Message,
  use: (file: NewFile | null) => Promise<T>,
): Promise<T> => {
  const response = await handset.media(message).catch((error: unknown) => {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  });
  if (response?.body == null) return use(null);
  const folder = await mkdtemp(join(tmpdir(), 'handset-chatwoot-'));
  try {
    const path = join(folder, 'file');
    await pipeline(Readable.fromWeb(response.body), createWriteStream(path, { mode: 0o600 }));
    const type = (message.media?.mimetype ?? 'application/octet-stream').split(';')[0]!.trim();
    return await use({ blob: await openAsBlob(path, { type }), name: nameOf(message, type) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

interface Parts {
  readonly state: State;
  readonly chatwoot: ChatwootClient;
  readonly handset: HandsetClient;
}

export interface Post {
  /** The event that it tells. */
  readonly event: string;
  readonly conversation: number;
  readonly message: NewMessage;
  /** The message whose file goes with it. */
  readonly file: Message | null;
  /** The message that it is, and not only tells about. */
  readonly pair: Omit<Pair, 'chatwoot' | 'conversation'> | null;
}

/** Pages of 20 in which a message of an attempt that broke off is looked for. */
const pagesSearched = 10;

export class Posts {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Posts once, however often it is called with the same event. */
  async once(post: Post): Promise<void> {
    const { state } = this.#parts;
    const { event, conversation, message, pair } = post;
    const begun = state.beginEvent(event);
    const posted = begun ? await this.#find(conversation, message.source_id) : null;
    const id = posted ?? (await this.#post(post).catch((error: unknown) => this.#tellRefusal(post, error)));
    state.together(() => {
      if (pair !== null) state.keepPair({ ...pair, conversation, chatwoot: id });
      state.finishEvent(event);
    });
  }

  async #post({ conversation, message, file }: Post): Promise<number> {
    const { chatwoot, handset } = this.#parts;
    if (file === null) return chatwoot.post(conversation, message);
    const without = (why: string): Promise<number> =>
      chatwoot.post(conversation, { ...message, content: `${message.content}\n[${why}]`.trim() });
    return withFile(handset, file, async (blob) => {
      if (blob === null) return without('the file is no longer available');
      try {
        return await chatwoot.post(conversation, message, blob);
      } catch (error) {
        if (!isForGood(error)) throw error;
        return without(`Chatwoot refused the file "${blob.name}": ${error.message}`);
      }
    });
  }

  /** What Chatwoot never takes would hold back all that follows in its chat: the agents are told instead. */
  #tellRefusal({ conversation, message }: Post, error: unknown): Promise<number> {
    if (!isForGood(error)) throw error;
    const content = `A message could not be shown here: Chatwoot refused it (${error.message}). It is on the phone`;
    return this.#parts.chatwoot.post(conversation, {
      content,
      message_type: 'outgoing',
      private: true,
      source_id: message.source_id,
    });
  }

  async #find(conversation: number, sourceId: string): Promise<number | null> {
    let before: number | undefined;
    for (let page = 0; page < pagesSearched; page += 1) {
      const messages = await this.#parts.chatwoot.messages(conversation, before);
      const found = messages.find(({ source_id: source }) => source === sourceId);
      if (found !== undefined) return found.id;
      if (messages.length === 0) return null;
      before = Math.min(...messages.map(({ id }) => id));
    }
    return null;
  }
}
