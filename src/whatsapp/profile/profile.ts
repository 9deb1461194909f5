/** Profile texts and pictures: those of others queried, and the account's own changed. */
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '../library/nodes.ts';
import type { PictureFile, ProfileChange } from '../../domain/chats/conversation.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import { HandsetError, notFound } from '../../errors.ts';
import type { Session } from '../session.ts';
import { isMe, meOf } from '../identity/people.ts';
import { setAbout } from './about.ts';
import { isEnabled } from '../identity/account.ts';
import { refusalOf, asked } from '../socket/query.ts';

/** Hidden from this account, or there is none (whatsmeow user.go `GetProfilePictureInfo`, 2026-08). */
const noPicture: ReadonlySet<number> = new Set([401, 403, 404]);
const longestPicture = 5 * 1_048_576;
const pictureTimeoutMs = 15_000;

const pictureQuery = (jid: Jid, type: 'image' | 'preview', token: BinaryNode | null): BinaryNode => {
  const picture = { tag: 'picture', attrs: { type, query: 'url' }, ...(token !== null && { content: [token] }) };
  return {
    tag: 'iq',
    attrs: { target: jid, to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:profile:picture' },
    content: [picture],
  };
};

interface Picture {
  readonly id: string;
  readonly url: string;
}

/** Null if there is none, or it is hidden. Includes the person's token if the network requires it; never for the account itself. */
const askPicture = async (session: Session, jid: Jid, type: 'image' | 'preview'): Promise<Picture | null> => {
  const { sock, deviceId, creds, conversation } = session;
  const wanted = isEnabled(creds, 9666) && jidKind(jid) !== 'group' && !isMe(meOf(creds), jid);
  const token = wanted ? await conversation.tokenFor(jid) : null;
  const question = pictureQuery(jid, type, token?.tag === 'tctoken' ? token : null);
  const answer = await asked(deviceId, {}, () =>
    sock.query(question).catch((error: unknown) => {
      if (noPicture.has(refusalOf(error) ?? 0)) return undefined;
      throw error;
    }),
  );
  const { id, url } = getBinaryNodeChild(answer, 'picture')?.attrs ?? {};
  return id === undefined || url === undefined ? null : { id, url };
};

export const askPictureId = async (session: Session, jid: Jid): Promise<string | null> =>
  (await askPicture(session, jid, 'preview'))?.id ?? null;

/** The sandbox's hosts, or those below whatsapp.net. */
const isOfNetwork = ({ protocol, hostname }: URL, sandbox: boolean): boolean =>
  protocol === 'https:' && (sandbox || /(?:^|\.)whatsapp\.net$/.test(hostname));

async function* limited(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > longestPicture) throw new Error(`The picture is longer than ${longestPicture} bytes`);
    yield piece;
  }
}

export const downloadPicture = async (session: Session, jid: Jid): Promise<PictureFile> => {
  const picture = await askPicture(session, jid, 'image');
  if (picture === null) throw notFound('Picture');
  const url = new URL(picture.url);
  const { dispatcher, sandbox } = session.endpoint;
  if (!isOfNetwork(url, sandbox)) throw notFound('Picture');
  const { statusCode, body } = await dispatcher.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'GET',
    headersTimeout: pictureTimeoutMs,
    bodyTimeout: pictureTimeoutMs,
  });
  if (statusCode === 200) return { id: picture.id, stream: limited(body) };
  await body.dump();
  if (statusCode === 404 || statusCode === 410) throw notFound('Picture');
  throw new HandsetError('Internal', 'Internal server error', { cause: new Error(`a picture: ${statusCode}`) });
};

const setting = (xmlns: string, content: BinaryNode[]): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns },
  ...(content.length > 0 && { content }),
});

export const changeProfile = async (
  session: Session,
  { name, about, aboutExpiresAt = null }: ProfileChange,
): Promise<void> => {
  const { appState } = session;
  if (name !== undefined) await appState.write([{ kind: 'pushName', name }]);
  if (about !== undefined) await setAbout(session, about, aboutExpiresAt);
};

export const setPicture = async ({ sock, deviceId }: Session, jpeg: Uint8Array | null): Promise<void> => {
  const content = jpeg === null ? [] : [{ tag: 'picture', attrs: { type: 'image' }, content: jpeg }];
  const refusals = { 406: 'The network does not take this picture' };
  await asked(deviceId, refusals, () => sock.query(setting('w:profile:picture', content)));
};
