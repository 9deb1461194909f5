/** Sets the timer of disappearing messages in a chat with a person: by a message, as stock Baileys does. */
import { type Jid, jidKind } from '../../domain/jid.ts';
import { SendOutcomeUnknown } from '../../errors.ts';
import type { Session } from '../session.ts';
import { makeMessageId } from '../send/message-stanza.ts';
import { sendMessage } from '../send/send.ts';
import { isSilence, noAnswer } from '../engine/asked.ts';

/** 0: messages stay. */
export const setTimer = async (link: Session, chat: Jid, seconds: number): Promise<void> => {
  const { deviceId, store, timers, clock } = link;
  const recipient = { kind: jidKind(chat) === 'lid' ? 'lid' : 'phone', jid: chat } as const;
  const message = { id: makeMessageId(), recipient, content: { kind: 'timer', seconds } } as const;
  const { record } = await sendMessage(link, message).catch((error: unknown) => {
    const cause = error instanceof Error ? error.cause : null;
    // The devices and keys of the person may be asked for first.
    throw cause instanceof SendOutcomeUnknown || isSilence(cause) ? noAnswer() : error;
  });
  const keys = timers.told(record, { seconds, setAt: Math.floor(clock.now() / 1_000) });
  if (keys.length > 0) await store.commit(deviceId, { keys });
};
