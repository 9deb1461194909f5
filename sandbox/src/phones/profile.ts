/** Changes that a phone's owner makes to the account's profile: picture, text, privacy, disappearing messages. The server is told as by any client. */
import { element, SERVER } from '../base/nodes.ts';
import type { Line } from './context/server-line.ts';

export interface ProfileChange {
  /** A JPEG; `remove` takes the picture away. */
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
