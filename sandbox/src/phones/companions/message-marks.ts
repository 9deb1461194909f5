/** Stars, and messages deleted for this account only: kept in the application state, and applied to the view. */
import type { PhoneContext } from '../context/context.ts';
import type { ViewMessage } from '../context/view.ts';
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

  constructor(phone: PhoneContext) {
    this.#phone = phone;
  }

  star(id: string, starred: boolean): Promise<void> {
    const { appState, view } = this.#phone;
    appState.setStarred(indexOf(this.#seen(id)), starred);
    view.change(id, { starred });
    return this.share();
  }

  deleteForMe(id: string): Promise<void> {
    const { appState, view } = this.#phone;
    const message = this.#seen(id);
    appState.setDeletedForMe(indexOf(message), Math.floor(Date.parse(message.timestamp) / 1_000));
    view.deleteForMe(id);
    return this.share();
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
  }

  #seen(id: string): ViewMessage {
    const message = this.#phone.view.find(id);
    if (message === null) throw notFound(`there is no message ${id} on this phone`);
    return message;
  }
}
