/**
 * Posts to Chatwoot, each once: what is posted carries an id of Handset as its source_id, so an attempt whose end is not known looks for
 * it there before it posts.
 */
import type { ChatwootClient, NewMessage } from './chatwoot.ts';
import { withFile } from './files.ts';
import type { HandsetClient, Message } from './handset.ts';
import { isForGood } from './http.ts';
import type { Pair, State } from './state.ts';

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
