/** A post of Chatwoot becomes work for the sender, or a sign of life in the chat. Nothing here waits for the network. */
import type { ChatwootClient, Hook, HookedMessage } from './chatwoot.ts';
import type { HandsetClient } from './handset.ts';
import { replyOf } from './reply.ts';
import type { Sender } from './sender.ts';
import type { State } from './state.ts';

interface Parts {
  readonly state: State;
  readonly chatwoot: ChatwootClient;
  readonly handset: HandsetClient;
  readonly sender: Sender;
  readonly account: number;
  readonly markRead: boolean;
  readonly reopen: boolean;
}

/** Templates are what Chatwoot writes by itself: greetings, the hours of the office, surveys. */
const sentTypes = ['outgoing', 'template'];

/** For as long Handset remembers the keys of sends, so that nothing can be sent twice. */
const retryableMs = 23 * 3600 * 1000;

/**
 * An agent's retry takes the error of a failed message away. It may be one that has never come here, if the bridge was down; one that was
 * sent is not sent again, because its key is taken.
 */
const isRetry = ({ content_attributes: attributes, created_at: createdAt }: HookedMessage): boolean =>
  attributes?.external_error == null && Date.now() - Date.parse(createdAt) < retryableMs;

/** For signs of life, which matter only at once. */
const quietly = async (work: Promise<unknown>): Promise<void> => {
  await work.catch(() => undefined);
};

export class FromChatwoot {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns as soon as it is stored. */
  async take(hook: Hook): Promise<void> {
    const { state, chatwoot, handset, markRead, reopen } = this.#parts;
    if (hook.event === 'message_created' || hook.event === 'message_updated') await this.#message(hook);
    else if (hook.event === 'conversation_status_changed') {
      if (hook.inbox_id !== chatwoot.inbox || hook.status !== 'resolved') return;
      const chat = state.chatOf(hook.id);
      if (!reopen) state.forgetConversation(hook.id);
      if (chat !== null && markRead) await quietly(handset.read(chat));
    } else if (hook.event === 'conversation_typing_on' || hook.event === 'conversation_typing_off') {
      const { conversation, is_private: isPrivate, user } = hook;
      if (conversation.inbox_id !== chatwoot.inbox || isPrivate === true || user?.type !== 'user') return;
      const chat = state.chatOf(conversation.id);
      if (chat !== null) await quietly(handset.typing(chat, hook.event.endsWith('_on') ? 'text' : 'none'));
    }
  }

  async #message(hook: HookedMessage): Promise<void> {
    const { chatwoot, sender, account } = this.#parts;
    if (hook.inbox.id !== chatwoot.inbox || hook.account.id !== account || hook.private === true) return;
    if (!sentTypes.includes(hook.message_type)) return;
    const { id, conversation, content_attributes: attributes, source_id: sourceId } = hook;
    if (hook.event === 'message_updated' && attributes?.deleted === true)
      sender.add(`delete:${id}`, conversation.id, { kind: 'delete', message: id });
    // A source_id says that it came from the network: the bridge has put it there itself.
    else if (sourceId == null && (hook.event === 'message_created' || isRetry(hook))) await this.#reply(hook);
  }

  async #tellOfLost(conversation: number, message: number, lost: number): Promise<void> {
    const what = lost === 1 ? 'An attachment was' : `${lost} attachments were`;
    await quietly(
      this.#parts.chatwoot.post(conversation, {
        content: `${what} not sent: Chatwoot gave no address to download from`,
        message_type: 'outgoing',
        private: true,
        source_id: `lost-${message}`,
        content_attributes: { in_reply_to: message },
      }),
    );
  }

  async #reply(hook: HookedMessage): Promise<void> {
    const { state, chatwoot, sender } = this.#parts;
    const { id, event, conversation } = hook;
    const reply = replyOf(hook, state.chatOf(conversation.id));
    if ((reply?.lost ?? 0) > 0) await this.#tellOfLost(conversation.id, id, reply!.lost);
    if (reply === null) await chatwoot.setStatus(conversation.id, id, 'failed', 'The contact has no phone number');
    else if (reply.parts.length > 0) {
      if (event === 'message_updated' && state.hasFailed(`send:${id}`))
        sender.retry(`send:${id}`, conversation.id, reply);
      else sender.add(`send:${id}`, conversation.id, { kind: 'send', ...reply });
    }
  }
}
