/** Presence and profile of a phone, sent to the server as by any client. */
import { element, SERVER } from '../base/nodes.ts';
import type { Line } from './context/requests.ts';
import type { BinaryNode } from 'baileys';
import { chatName, isGroup, resolve } from './context/address.ts';
import type { PhoneContext } from './context/context.ts';
import { conflict, notFound } from '../base/errors.ts';

export interface ProfileChange {
  readonly picture?: Uint8Array | 'remove';
  readonly about?: string;
  readonly privacy?: readonly { readonly name: string; readonly value: string }[];
  readonly disappearingSeconds?: number;
}

type Content = Parameters<typeof element>[2];

export const changeProfile = async (line: Line, change: ProfileChange): Promise<void> => {
  const ask = (xmlns: string, content?: Content) =>
    line.ask(element('iq', { to: SERVER, type: 'set', xmlns }, content));
  const { picture, about, privacy, disappearingSeconds } = change;
  if (picture === 'remove') await ask('w:profile:picture');
  else if (picture !== undefined) await ask('w:profile:picture', [element('picture', { type: 'image' }, picture)]);
  if (about !== undefined) await ask('status', [element('status', {}, Buffer.from(about))]);
  if (privacy !== undefined) {
    const categories = privacy.map((category) => element('category', { ...category }));
    await ask('privacy', [element('privacy', {}, categories)]);
  }
  if (disappearingSeconds !== undefined) {
    await ask('disappearing_mode', [element('disappearing_mode', { duration: String(disappearingSeconds) })]);
  }
};

export type ShownState = 'text' | 'voice' | 'none';

export interface SeenPresence {
  readonly chat: string;
  readonly from: string;
  readonly state: ShownState | 'online' | 'offline';
  readonly lastSeenAt: string | null;
}

const children = {
  text: element('composing'),
  voice: element('composing', { media: 'audio' }),
  none: element('paused'),
} as const;

/** Number of presences remembered. */
const maxSeen = 200;

const stateOf = ({ tag, attrs, content }: BinaryNode): SeenPresence['state'] => {
  if (tag === 'presence') return attrs['type'] === 'unavailable' ? 'offline' : 'online';
  const [child] = Array.isArray(content) ? content : [];
  if (child?.tag !== 'composing') return 'none';
  return child.attrs['media'] === 'audio' ? 'voice' : 'text';
};

export class Presence {
  readonly #phone: Pick<PhoneContext, 'hub' | 'account' | 'line'>;
  #seen: SeenPresence[] = [];
  available = false;

  constructor(phone: Pick<PhoneContext, 'hub' | 'account' | 'line'>) {
    this.#phone = phone;
  }

  get seen(): readonly SeenPresence[] {
    return this.#seen;
  }

  show(available: boolean): void {
    const { account } = this.#phone;
    this.available = available;
    this.#tell(element('presence', { type: available ? 'available' : 'unavailable', name: account.name }));
  }

  follow(jid: string): void {
    this.#tell(element('presence', { type: 'subscribe', to: this.#addressOf(jid) }));
  }

  type(to: string, state: ShownState): void {
    this.#tell(element('chatstate', { to: this.#addressOf(to) }, [children[state]]));
  }

  takes(node: BinaryNode): boolean {
    if (node.tag !== 'presence' && node.tag !== 'chatstate') return false;
    const { hub } = this.#phone;
    const { from = '', participant = from, last } = node.attrs;
    const lastSeenAt = Number(last) > 0 ? new Date(Number(last) * 1000).toISOString() : null;
    const who = chatName(hub, participant.replace(/:\d+@/, '@'));
    this.#seen = [...this.#seen, { chat: chatName(hub, from), from: who, state: stateOf(node), lastSeenAt }];
    this.#seen = this.#seen.slice(-maxSeen);
    return true;
  }

  #addressOf(jid: string): string {
    const { hub, account } = this.#phone;
    if (isGroup(jid)) return jid;
    const other = resolve(hub, jid);
    if (other === null) throw notFound(`there is no account ${jid}`);
    return hub.wireJid(account, other.account.lid);
  }

  #tell(node: BinaryNode): void {
    const { line } = this.#phone;
    if (!line.isOpen) throw conflict('the phone is offline');
    line.tell(node);
  }
}
