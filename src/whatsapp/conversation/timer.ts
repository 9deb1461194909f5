/** Sets the timer of disappearing messages: of a chat with a person by a message, of a group in its settings, as stock Baileys does. */
import { type Jid, jidKind } from '../../domain/jid.ts';
import type { Link } from '../login/link.ts';
import { makeMessageId } from '../send/message-stanza.ts';
import { sendMessage } from '../send/send.ts';
import { asked } from './asked.ts';

/** 0: messages stay. */
export const setTimer = async (link: Link, chat: Jid, seconds: number): Promise<void> => {
  const { sock, deviceId, store, timers, clock } = link;
  if (jidKind(chat) === 'group') {
    const refusals = { 403: 'The account is not an administrator of this group', 404: 'There is no such group' };
    await asked(deviceId, refusals, () => sock.groupToggleEphemeral(chat, seconds));
    return void (await store.commit(deviceId, { chats: [{ chat, expiresInSeconds: seconds || null }] }));
  }
  const recipient = { kind: jidKind(chat) === 'lid' ? 'lid' : 'phone', jid: chat } as const;
  const message = { id: makeMessageId(), recipient, content: { kind: 'timer', seconds } } as const;
  const { record } = await sendMessage(link, message, () => {});
  const keys = timers.told(record, { seconds, setAt: Math.floor(clock.now() / 1_000) });
  if (keys.length > 0) await store.commit(deviceId, { keys });
};
