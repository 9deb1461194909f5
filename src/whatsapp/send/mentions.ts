/**
 * Mentions of a message as the chat names people.
 *
 * Rule: in groups that name their members by LID `mentionedJid` and the digits after `@` in the text are LIDs, elsewhere numbers; the network's apps
 * look one up by the other. Source: whatsmeow and zapo leave both to the caller, WhatsApp's apps send and show both so (whatsapp-rust and mautrix-whatsapp
 * read them, 2026-08). The log and events have numbers (`translate/record.ts`).
 */
import type { proto } from '../engine/proto.ts';
import { type Jid, jidUser } from '../../domain/jid.ts';
import { registered } from '../identity/look-up.ts';
import type { Session } from '../session.ts';
import { type ChatRef, withNames } from '../identity/people.ts';
import { groupOf } from './naming.ts';

interface Mentions {
  readonly jids: string[];
  /** The text with the digits that the chat knows people by. */
  inText(this: void, text: string): string;
}

const nobody: Mentions = { jids: [], inText: (text) => text };

/** `given`: as the caller named people. */
export const mentionsFor = async (link: Session, given: readonly Jid[], chat: ChatRef): Promise<Mentions> => {
  if (given.length === 0) return nobody;
  const byLid = chat.isGroup && (await groupOf(link, chat)).addressing === 'lid';
  const named = new Map<string, Jid>();
  for (const each of given) {
    const jid = await registered(link, each);
    const { lid, phone } = await link.lidMapping.addressesOf(jid);
    named.set(jidUser(each), (byLid ? lid : chat.isGroup ? phone : null) ?? jid);
  }
  const users = new Map([...named].map(([user, jid]) => [user, jidUser(jid)]));
  return { jids: [...new Set(named.values())], inText: (text) => withNames(text, users) };
};

/** Rewrites the texts and captions of a message in place. */
export const nameInTexts = (message: proto.IMessage, { inText }: Mentions): void => {
  const { extendedTextMessage: text, imageMessage, videoMessage, documentMessage } = message;
  if (text?.text) text.text = inText(text.text);
  for (const media of [imageMessage, videoMessage, documentMessage])
    if (media?.caption) media.caption = inText(media.caption);
};
