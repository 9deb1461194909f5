/** An event of Handset becomes what it means in Chatwoot. Handset posts an event until it is taken, and may post it twice. */
import type { ChatwootClient, NewMessage } from './chatwoot.ts';
import { contentOf, hasFile } from './content.ts';
import type { ChatAddress, Event, Message, Update } from './handset.ts';
import { Refused } from './http.ts';
import { type People, type Whom, addressesOf } from './people.ts';
import type { Posts } from './posts.ts';
import type { Pair, State } from './state.ts';

interface Parts {
  readonly state: State;
  readonly chatwoot: ChatwootClient;
  readonly people: People;
  readonly posts: Posts;
  readonly keepDeleted: boolean;
  /** Ends when no reply is on its way to the network. */
  readonly sendsSettled: () => Promise<void>;
}

/** Not now: Handset is to post the event again. */
class NotYet extends Error {}

const statuses = ['sent', 'delivered', 'read'] as const;
const rankOf = { delivered: 1, read: 2, played: 2 } as const;

const whomOf = (message: Message, outgoing: boolean): Whom => ({
  chat: message.chat,
  chatNumber: message.chatNumber,
  chatLid: message.chatLid,
  isGroup: message.isGroup,
  name: outgoing ? null : message.pushName,
});

const reactionText = ({ reaction, from }: Extract<Update, { reaction: unknown }>): string => {
  const who = from.number === null ? 'Somebody' : `+${from.number}`;
  return `${who} ${reaction === null ? 'took the reaction back' : `reacted with ${reaction}`}`;
};

export class FromHandset {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns when Chatwoot has it; throws where the event is to come again. */
  async take(event: Event): Promise<void> {
    const { state, sendsSettled } = this.#parts;
    if (state.eventIsDone(event.id)) return;
    if (event.type === 'message.received') await this.#show(event.id, event.data.message, false);
    else {
      await sendsSettled();
      if (event.type === 'message.sent') await this.#showOwn(event.id, event.data.message);
      else {
        const pair = this.#pairOf(event.data, event.data.messageId);
        if (pair !== null && event.type === 'message.updated') await this.#update(event.id, pair, event.data.update);
        else if (pair !== null) await this.#remove(event.id, pair);
      }
    }
    state.finishEvent(event.id);
  }

  async #show(event: string, message: Message, outgoing: boolean): Promise<void> {
    const { state, people, posts } = this.#parts;
    const conversation = await people.conversationOf(whomOf(message, outgoing));
    if (state.pair(conversation, message.id) !== null) return;
    const quoted = message.quotedMessageId === null ? null : state.pair(conversation, message.quotedMessageId);
    const shown: NewMessage = {
      content: contentOf(message, outgoing),
      message_type: outgoing ? 'outgoing' : 'incoming',
      source_id: message.id,
      ...(quoted === null ? {} : { content_attributes: { in_reply_to: quoted.chatwoot } }),
    };
    const file = hasFile(message) ? message : null;
    try {
      await posts.once({ event, conversation, message: shown, file, pair: { handset: message.id, outgoing } });
    } catch (error) {
      // The conversation was deleted in Chatwoot: the next attempt makes another.
      if (error instanceof Refused && error.status === 404) state.forgetConversation(conversation);
      throw error;
    }
  }

  /** A message of this account: an agent's that the bridge has sent, or one of the phone or of another program. */
  async #showOwn(event: string, message: Message): Promise<void> {
    const { state } = this.#parts;
    if (this.#pairOf(message, message.id) !== null) return;
    // A reply whose answer was lost is sent again with its key; until then this may be that one.
    const addresses = [...addressesOf(message), ...(message.chatNumber === null ? [] : [message.chatNumber])];
    if (state.hasDoubtful(addresses)) throw new NotYet('a reply to this chat is being sent again');
    await this.#show(event, message, true);
  }

  #pairOf(address: ChatAddress, messageId: string): Pair | null {
    const { people, state } = this.#parts;
    const conversation = people.known(address);
    return (conversation === null ? null : state.pair(conversation, messageId)) ?? state.outgoingPair(messageId);
  }

  async #update(event: string, pair: Pair, change: Update): Promise<void> {
    if ('status' in change) await this.#setStatus(pair, change.status);
    else if ('message' in change) await this.#tell(event, pair, contentOf(change.message), change.message);
    else if ('text' in change && change.text !== null) await this.#tell(event, pair, `✏️ ${change.text}`);
    else if ('reaction' in change) await this.#note(event, pair, reactionText(change));
  }

  async #setStatus(pair: Pair, status: Extract<Update, { status: unknown }>['status']): Promise<void> {
    const { state, chatwoot } = this.#parts;
    if (!pair.outgoing) return;
    if (status === 'failed') {
      await chatwoot.setStatus(pair.conversation, pair.chatwoot, 'failed', 'The network could not deliver it');
      return;
    }
    const rank = state.advance(pair, rankOf[status]);
    if (rank !== null) await chatwoot.setStatus(pair.conversation, pair.chatwoot, statuses[rank] ?? 'sent');
  }

  /** Says something of a message below it: Chatwoot's interface cannot change a text. */
  #tell(event: string, pair: Pair, content: string, message: Message | null = null): Promise<void> {
    return this.#below(event, pair, message, { content, message_type: pair.outgoing ? 'outgoing' : 'incoming' });
  }

  /** Says it to the agents alone, and does not reopen the conversation. */
  #note(event: string, pair: Pair, content: string): Promise<void> {
    return this.#below(event, pair, null, { content, message_type: 'outgoing', private: true });
  }

  #below(event: string, pair: Pair, file: Message | null, message: Omit<NewMessage, 'source_id'>): Promise<void> {
    const below = { ...message, source_id: event, content_attributes: { in_reply_to: pair.chatwoot } };
    const withFile = file !== null && hasFile(file) ? file : null;
    return this.#parts.posts.once({
      event,
      conversation: pair.conversation,
      message: below,
      file: withFile,
      pair: null,
    });
  }

  async #remove(event: string, pair: Pair): Promise<void> {
    const { state, chatwoot, keepDeleted } = this.#parts;
    if (keepDeleted) return this.#note(event, pair, '🗑️ This message was deleted');
    // Marked first, so that Chatwoot's own word of it is not taken for an agent's.
    state.markDeleted(pair);
    try {
      await chatwoot.delete(pair.conversation, pair.chatwoot);
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return;
      state.markDeleted(pair, false);
      throw error;
    }
  }
}
