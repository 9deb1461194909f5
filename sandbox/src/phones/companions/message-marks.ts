/** Stars, labels, messages deleted for this account only, and chats that were cleared or deleted: kept in the application state, and applied to the view. */
import type { PhoneContext } from '../context/context.ts';
import type { ViewMessage } from '../context/view.ts';
import type { Clearing } from './app-state-kinds.ts';
import { notFound } from '../../base/errors.ts';

/** Index of a message in the apps' format: chat, id, whether it is the account's own, and in groups the author otherwise. */
const indexOf = ({ chat, id, from, fromMe }: ViewMessage): readonly string[] => [
  chat,
  id,
  fromMe ? '1' : '0',
  !fromMe && chat.endsWith('@g.us') ? from : '0',
];

export class MessageMarks {
  readonly #phone: PhoneContext;
  /** Clearings that were applied: `until` is in seconds, and messages that arrive later in that second stay. */
  readonly #obeyed = new Set<string>();

  constructor(phone: PhoneContext) {
    this.#phone = phone;
  }

  star(id: string, starred: boolean): Promise<void> {
    const { appState, view } = this.#phone;
    appState.setStarred(indexOf(this.#seen(id)), starred);
    view.change(id, { starred });
    return this.share();
  }

  label(id: string, labels: readonly string[]): Promise<void> {
    const { appState, view } = this.#phone;
    const message = this.#seen(id);
    appState.labels.set(this.#addressesOf(message), labels, id);
    view.change(id, { labels });
    return this.share();
  }

  deleteForMe(id: string): Promise<void> {
    const { appState, view } = this.#phone;
    const message = this.#seen(id);
    appState.setDeletedForMe(indexOf(message), Math.floor(Date.parse(message.timestamp) / 1_000));
    view.deleteForMe(id);
    return this.share();
  }

  /** Messages that come later stay. */
  clearChat(chat: string, keepsStarred: boolean): Promise<void> {
    this.#phone.appState.setCleared(chat, this.#lastIn(chat), keepsStarred);
    return this.share();
  }

  deleteChat(chat: string): Promise<void> {
    this.#phone.appState.setChatDeleted(chat, this.#lastIn(chat));
    return this.share();
  }

  /** When its last message was sent, in seconds; now, if it has none. */
  #lastIn(chat: string): number {
    const last = this.#phone.view.after(0).findLast((message) => message.chat === chat);
    return Math.floor((last === undefined ? Date.now() : Date.parse(last.timestamp)) / 1_000);
  }

  /** Applies the companions' changes and publishes local ones, once online. */
  async share(): Promise<void> {
    const { line, appState, view, hub } = this.#phone;
    if (!line.isOpen) return;
    await appState.sync();
    for (const { chat, id, starred } of appState.marks) {
      const message = view.find(id);
      // A mark may name the chat by either address of the person.
      if (message === null || (hub.findAccount(chat)?.jid ?? chat) !== message.chat) continue;
      if (starred === null) view.deleteForMe(id);
      else if (starred !== (message.starred ?? false)) view.change(id, { starred });
    }
    for (const id of appState.labels.messages) {
      const message = view.find(id);
      if (message === null) continue;
      const labels = appState.labels.of(this.#addressesOf(message), id);
      if (labels.join() !== (message.labels ?? []).join()) view.change(id, { labels });
    }
    for (const clearing of appState.clearings) this.#apply(clearing);
  }

  #addressesOf({ chat }: ViewMessage): readonly string[] {
    const account = this.#phone.hub.findAccount(chat);
    return account === null ? [chat] : [account.jid, account.lid];
  }

  #apply({ chat, until, keepsStarred, name: which }: Clearing): void {
    if (this.#obeyed.has(which)) return;
    this.#obeyed.add(which);
    const { view, hub } = this.#phone;
    const name = hub.findAccount(chat)?.jid ?? chat;
    for (const message of view.after(0)) {
      const isMeant = message.chat === name && Date.parse(message.timestamp) <= until;
      if (isMeant && !(keepsStarred && message.starred === true)) view.deleteForMe(message.id);
    }
  }

  #seen(id: string): ViewMessage {
    const message = this.#phone.view.find(id);
    if (message === null) throw notFound(`there is no message ${id} on this phone`);
    return message;
  }
}
