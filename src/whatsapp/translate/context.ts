/** The context of a message: whom it answers and mentions, how often it was forwarded, the timer, the advertisement. */
import type { proto } from '../engine/proto.ts';
import type { MessageParts, Person, Quoted, Referral } from '../../domain/messages/parts.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import { type Content, type MessageContent, contentOf } from './content.ts';
import { countOrNull, cut, cutOrNull } from './kind.ts';
import { type Peek, personOf, plainJid } from './people.ts';

/** As many members as a group can have. */
const mostMentions = 1_024;
/** Longer JIDs are nobody's. */
const longestJid = 64;
const mostUrlCharacters = 4_096;
/** A reply repeats what it answers, and anything can be in it. */
const mostQuotedText = 4_096;

const isPerson = (jid: string): boolean => {
  const kind = jid.length <= longestJid ? jidKind(plainJid(jid)) : 'other';
  return kind === 'phone' || kind === 'lid';
};

const mentionsOf = ({ mentionedJid }: proto.IContextInfo, peek: Peek): readonly Person[] => {
  const people = (mentionedJid ?? [])
    .slice(0, mostMentions)
    .filter(isPerson)
    .map((jid) => personOf(peek, jid));
  return [...new Map(people.map((person) => [person.jid, person])).values()];
};

const quotedOf = (id: string, { participant, quotedMessage }: proto.IContextInfo, peek: Peek): Quoted => {
  const content = quotedMessage ? contentOf(quotedMessage) : null;
  const { type, text } = content?.kind === 'message' ? content : ({ type: 'unknown', text: null } as const);
  const from = participant && isPerson(participant) ? personOf(peek, participant) : null;
  return { id, from, type, text: text === null ? null : cut(text, mostQuotedText) };
};

const referralOf = ({ externalAdReply: ad }: proto.IContextInfo): Referral | null => {
  // Links are also shown in this form, by clients that are not the network's own.
  if (!ad || !(ad.sourceId || ad.ctwaClid || ad.sourceType)) return null;
  return {
    sourceType: cutOrNull(ad.sourceType),
    sourceId: cutOrNull(ad.sourceId),
    sourceUrl: cutOrNull(ad.sourceUrl, mostUrlCharacters),
    title: cutOrNull(ad.title),
    body: cutOrNull(ad.body, mostUrlCharacters),
    mediaUrl: cutOrNull(ad.mediaUrl || ad.thumbnailUrl, mostUrlCharacters),
    clickId: cutOrNull(ad.ctwaClid),
  };
};

const nobody: readonly Jid[] = [];

/** The people that a message names: their addresses are looked up before it is translated. */
export const peopleIn = (content: Content | null): readonly Jid[] => {
  if (content?.kind !== 'message' || content.context === null) return nobody;
  const { mentionedJid, participant } = content.context;
  const jids = [...(mentionedJid ?? []).slice(0, mostMentions), ...(participant ? [participant] : [])];
  return jids.filter(isPerson).map(plainJid);
};

const inContext = (context: proto.IContextInfo, quotedId: string | null, peek: Peek): Partial<MessageParts> => {
  const mentions = mentionsOf(context, peek);
  const expiresInSeconds = countOrNull(context.expiration);
  const referral = referralOf(context);
  return {
    ...(quotedId === null ? {} : { quoted: quotedOf(quotedId, context, peek) }),
    ...(mentions.length === 0 ? {} : { mentions }),
    // A message that was forwarded once has no score in old clients.
    ...(context.isForwarded ? { forwarded: { times: countOrNull(context.forwardingScore) ?? 1 } } : {}),
    ...(expiresInSeconds === null ? {} : { expiresInSeconds }),
    ...(referral === null ? {} : { referral }),
  };
};

/** All parts that a message has; undefined where it has none, as most texts. */
export const partsOf = (
  { parts, context, quotedMessageId }: MessageContent,
  peek: Peek,
): Partial<MessageParts> | undefined => {
  const all = context === null ? parts : { ...parts, ...inContext(context, quotedMessageId, peek) };
  return all === undefined || Object.keys(all).length === 0 ? undefined : all;
};
