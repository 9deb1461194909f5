/** Stars, and deletions on the account alone: kept in the application state, shown on the screen. */
import type { PhoneContext } from '../context/context.ts';
import type { ViewMessage } from '../context/view.ts';
import { notFound } from '../../base/errors.ts';

/** As the network's apps name a message: chat, id, whether it is an own one, and in a group the author of one that is not. */
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

  /** Takes what companions have changed, and tells them what was changed here; offline, later. */
  async share(): Promise<void> {
    const { line, appState, view, hub } = this.#phone;
    if (!line.isOpen) return;
    await appState.sync();
    for (const { chat, id, starred } of appState.marks) {
      const message = view.find(id);
      // A mark names the chat of its message, by either address of a person.
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
