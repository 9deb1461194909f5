/** Which contact and which conversation of Chatwoot a chat is. What the bridge has forgotten is found again by its addresses. */
import type { ChatwootClient, Contact } from './chatwoot.ts';
import type { ChatAddress, HandsetClient } from './handset.ts';
import { Refused } from './http.ts';
import type { Known, State } from './state.ts';

interface Parts {
  readonly state: State;
  readonly chatwoot: ChatwootClient;
  readonly handset: HandsetClient;
  readonly reopen: boolean;
}

/** A chat, and the name that its person shows. */
export interface Whom extends ChatAddress {
  readonly isGroup: boolean;
  readonly name: string | null;
}

/** Numbers of countries where one may be written in two ways, and how many digits at the end are the same in both. */
const spelledTwice = /^5[245]\d{9,11}$/;
const sameDigits = 8;

const jidOf = (number: string): string => `${number}@s.whatsapp.net`;

/** Every address of a chat: a person can become known by a number after having been known by a LID alone. */
export const addressesOf = ({ chat, chatNumber, chatLid }: ChatAddress): readonly string[] => [
  ...new Set([chat, chatNumber === null ? null : jidOf(chatNumber), chatLid].filter((one) => one !== null)),
];

const unless =
  <T>(status: (status: number) => boolean, value: T) =>
  (error: unknown): T => {
    if (error instanceof Refused && status(error.status)) return value;
    throw error;
  };

export class People {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The conversation of a chat, made where there is none. */
  async conversationOf(whom: Whom): Promise<number> {
    const known = this.#parts.state.chat(addressesOf(whom));
    if (known === null) return this.#establish(whom);
    await this.#improve(whom, known);
    return known.conversation;
  }

  /** The conversation if the bridge knows it. */
  known(address: ChatAddress): number | null {
    return this.#parts.state.chat(addressesOf(address))?.conversation ?? null;
  }

  async #establish(whom: Whom): Promise<number> {
    const { state, chatwoot, reopen } = this.#parts;
    const name = await this.#nameOf(whom);
    const fallback = whom.chatNumber === null ? whom.chat : `+${whom.chatNumber}`;
    const contact = (await this.#find(whom)) ?? (await this.#create(whom, name ?? fallback));
    const there = (await chatwoot.conversationsOf(contact.id)).filter(({ status }) => reopen || status !== 'resolved');
    const newest = there.toSorted((a, b) => b.id - a.id)[0];
    const { id } = newest ?? (await chatwoot.createConversation(contact.id, whom.chat));
    const known = { contact: contact.id, conversation: id, named: contact.name !== fallback, chat: whom.chat };
    state.keepChat(addressesOf(whom), known);
    return id;
  }

  async #find(whom: Whom): Promise<Contact | null> {
    const addresses = addressesOf(whom);
    const phone = whom.chatNumber === null ? null : `+${whom.chatNumber}`;
    const fits = (contact: Contact): boolean =>
      (phone !== null && contact.phone_number === phone) ||
      (contact.identifier !== null && addresses.includes(contact.identifier));
    for (const query of phone === null ? addresses : [phone, ...addresses]) {
      const found = (await this.#parts.chatwoot.search(query)).find(fits);
      if (found !== undefined) return found;
    }
    return this.#findSpelled(whom);
  }

  /** A contact with the number in another spelling, which it has in Brazil, Mexico and Argentina: the service knows whose it is. */
  async #findSpelled({ chat, chatNumber }: Whom): Promise<Contact | null> {
    const { chatwoot, handset } = this.#parts;
    if (chatNumber === null || !spelledTwice.test(chatNumber)) return null;
    for (const contact of await chatwoot.search(chatNumber.slice(-sameDigits))) {
      const digits = contact.phone_number?.replaceAll(/\D/g, '') ?? '';
      if (!spelledTwice.test(digits) || digits.slice(-sameDigits) !== chatNumber.slice(-sameDigits)) continue;
      if ((await handset.chatOf(digits).catch(unless((status) => status < 500, null))) === chat) return contact;
    }
    return null;
  }

  async #create(whom: Whom, name: string): Promise<Contact> {
    const phone = whom.chatNumber === null ? {} : { phone_number: `+${whom.chatNumber}` };
    try {
      return await this.#parts.chatwoot.createContact({ name, identifier: whom.chat, ...phone });
    } catch (error) {
      // Somebody else has made the contact in the meantime.
      const found = error instanceof Refused && error.status === 422 ? await this.#find(whom) : null;
      if (found === null) throw error;
      return found;
    }
  }

  async #nameOf({ isGroup, name, chat }: Whom): Promise<string | null> {
    if (!isGroup) return name;
    return this.#parts.handset.subjectOf(chat).catch(unless((status) => status < 500, null));
  }

  /** Gives a contact the name or number that was not known when it was made. */
  async #improve(whom: Whom, known: Known): Promise<void> {
    const { state, chatwoot } = this.#parts;
    const name = known.named || whom.isGroup ? null : whom.name;
    const number = whom.chatNumber;
    const isNew = number !== null && state.chat([jidOf(number)]) === null;
    if (name === null && !isNew && known.chat === whom.chat) return;
    const change = { ...(name === null ? {} : { name }), ...(isNew ? { phone_number: `+${number}` } : {}) };
    if (name !== null || isNew) {
      // A number that belongs to another contact, or a contact that is gone: the message matters more.
      await chatwoot.updateContact(known.contact, change).catch(unless((status) => status < 500, null));
    }
    state.keepChat(addressesOf(whom), { ...known, chat: whom.chat, named: known.named || name !== null });
  }
}
