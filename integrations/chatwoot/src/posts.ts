/**
 * Posts to Chatwoot, each once: what is posted carries an id of Handset as its source_id, so an attempt whose end is not known looks for
 * it there before it posts.
 */
import type { ChatwootClient, NewMessage } from './chatwoot.ts';
import { withFile } from './files.ts';
import type { HandsetClient, Message } from './handset.ts';
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
    const id = posted ?? (await this.#post(post));
    state.together(() => {
      if (pair !== null) state.keepPair({ ...pair, conversation, chatwoot: id });
      state.finishEvent(event);
    });
  }

  async #post({ conversation, message, file }: Post): Promise<number> {
    const { chatwoot, handset } = this.#parts;
    if (file === null) return chatwoot.post(conversation, message);
    return withFile(handset, file, (blob) => {
      const lost = `${message.content}\n[the file is no longer available]`.trim();
      return chatwoot.post(conversation, blob === null ? { ...message, content: lost } : message, blob);
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
