/** `contextInfo`: quote, mentions, forwarding, timer and advertisement. */
import { proto } from 'baileys';
import type { Message } from '../context/context.ts';
import type { Channel, Quoted, Referral, Surroundings } from './types.ts';

export interface Quote {
  readonly id: string;
  readonly from: string;
  readonly content: Message;
  /** The chat of the quoted message, if it is another one. */
  readonly chat: string | null;
}

export interface ContextOptions {
  readonly quote?: Quote | null;
  readonly mentions?: readonly string[] | null;
  readonly mentionAll?: boolean | null;
  readonly forwarded?: number | null;
  readonly expiresInSeconds?: number | null;
  readonly referral?: Referral | null;
  readonly channel?: Channel | null;
}

const adReply = (referral: Referral): proto.IContextInfo => {
  const { sourceType, sourceId, sourceUrl, title, body, mediaUrl, clickId: ctwaClid } = referral;
  const { MediaType } = proto.ContextInfo.ExternalAdReplyInfo;
  return {
    conversionSource: 'FB_Ads',
    conversionDelaySeconds: 10,
    entryPointConversionSource: 'ctwa_ad',
    entryPointConversionApp: 'facebook',
    externalAdReply: {
      sourceType,
      sourceId,
      sourceUrl,
      title,
      body,
      mediaUrl,
      ctwaClid,
      thumbnailUrl: mediaUrl,
      mediaType: mediaUrl === null ? MediaType.NONE : MediaType.IMAGE,
      showAdAttribution: true,
    },
  };
};

const fromChannel = ({ jid, name, messageId }: Channel): proto.IContextInfo => ({
  forwardedNewsletterMessageInfo: { newsletterJid: jid, newsletterName: name, serverMessageId: messageId },
});

export const contextInfoOf = (options: ContextOptions): proto.IContextInfo | null => {
  const { quote, mentions, mentionAll, forwarded, expiresInSeconds, referral, channel } = options;
  const info: proto.IContextInfo = {
    ...(quote && { stanzaId: quote.id, participant: quote.from, quotedMessage: quote.content }),
    ...(quote?.chat && { remoteJid: quote.chat }),
    ...(mentions && mentions.length > 0 && { mentionedJid: [...mentions] }),
    ...(mentionAll && { nonJidMentions: 1 }),
    ...(forwarded && { isForwarded: true, forwardingScore: forwarded }),
    ...(expiresInSeconds && { expiration: expiresInSeconds }),
    ...(referral && adReply(referral)),
    ...(channel && fromChannel(channel)),
  };
  return Object.keys(info).length === 0 ? null : info;
};

/** Inside a caption wrapper if there is one. */
export const withContext = (message: Message, contextInfo: proto.IContextInfo): Message => {
  if (typeof message.conversation === 'string') {
    return { extendedTextMessage: { text: message.conversation, contextInfo } };
  }
  const wrapped = message.documentWithCaptionMessage?.message;
  if (wrapped) return { documentWithCaptionMessage: { message: withContext(wrapped, contextInfo) } };
  const note = message.requestPaymentMessage?.noteMessage;
  if (note) {
    const noteMessage = withContext(note, contextInfo);
    return { requestPaymentMessage: { ...message.requestPaymentMessage, noteMessage } };
  }
  const said = Object.entries(message).map(([field, value]: [string, unknown]) => {
    const isContent = field !== 'messageContextInfo' && typeof value === 'object';
    return [field, isContent ? { ...value, contextInfo } : value];
  });
  return proto.Message.create(Object.fromEntries(said));
};

const readReferral = (info: proto.IContextInfo): Referral | null => {
  const ad = info.externalAdReply;
  if (!ad) return null;
  return {
    sourceType: ad.sourceType || null,
    sourceId: ad.sourceId || null,
    sourceUrl: ad.sourceUrl || null,
    title: ad.title || null,
    body: ad.body || null,
    mediaUrl: ad.mediaUrl || null,
    clickId: ad.ctwaClid || null,
  };
};

const readChannel = ({ forwardedNewsletterMessageInfo: info }: proto.IContextInfo): Channel | null =>
  info?.newsletterJid
    ? { jid: info.newsletterJid, name: info.newsletterName || null, messageId: info.serverMessageId ?? null }
    : null;

/** `summaryOf` shortens a quoted message; `nameOf` returns a person's phone JID. */
export const readContext = (
  info: proto.IContextInfo | null | undefined,
  summaryOf: (quoted: Message) => Pick<Quoted, 'type' | 'text'>,
  nameOf: (jid: string) => string,
): Surroundings => {
  if (!info) return {};
  const from = info.participant ? nameOf(info.participant) : null;
  const status = info.remoteJid === 'status@broadcast';
  const mentions = (info.mentionedJid ?? []).map(nameOf);
  const referral = readReferral(info);
  const channel = readChannel(info);
  return {
    ...(info.stanzaId && { quoted: { id: info.stanzaId, from, ...summaryOf(info.quotedMessage ?? {}), status } }),
    ...(mentions.length > 0 && { mentions }),
    ...(info.nonJidMentions && { mentionAll: true as const }),
    ...((info.isForwarded || info.forwardingScore) && { forwarded: { times: info.forwardingScore || 1 } }),
    ...(info.expiration && { expiresInSeconds: info.expiration }),
    ...(referral && { referral }),
    ...(channel && { channel }),
  };
};
