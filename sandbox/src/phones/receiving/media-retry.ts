/** Media retry: a companion could not download a file, and its phone uploads it again or says that it is gone. */
import { element } from '../../base/nodes.ts';
import { type BinaryNode, getBinaryNodeChild, proto } from 'baileys';
import { uploadToken, openRetry, sealRetry } from '../../media/cipher.ts';
import { resolve } from '../context/address.ts';
import type { PhoneContext } from '../context/context.ts';
import { notFound } from '../../base/errors.ts';
import { mediaOf } from '../kinds/media.ts';

const { SUCCESS, NOT_FOUND, DECRYPTION_ERROR, GENERAL_ERROR } = proto.MediaRetryNotification.ResultType;

const keptMedia = (phone: PhoneContext, id: string) => {
  const bytes = phone.content.get(id) ?? phone.sent.get(id)?.bytes;
  const media = bytes === undefined ? null : mediaOf(proto.Message.decode(bytes));
  const { mediaKey, fileEncSha256 } = media?.fields ?? {};
  return mediaKey && fileEncSha256 ? { mediaKey, token: uploadToken(fileEncSha256) } : null;
};

/** Removes a file from the media host; if `lost`, from the phone as well. */
export const expireMedia = (phone: PhoneContext, id: string, lost: boolean): void => {
  const kept = keptMedia(phone, id);
  if (kept === null) throw notFound(`there is no media of a message ${id} on this phone`);
  phone.media.blobs.expire(kept.token);
  if (lost) phone.lostFiles.add(id);
  else phone.lostFiles.delete(id);
};

/** `<rmr>` must match the chat, author and direction of the message. */
const isNamed = ({ hub, view }: PhoneContext, id: string, { jid = '', from_me, participant }: BinaryNode['attrs']) => {
  const message = view.find(id);
  if (message === null || (from_me === 'true') !== message.fromMe) return false;
  if (message.chat.endsWith('@g.us')) {
    const author = participant === undefined ? null : resolve(hub, participant)?.account.jid;
    return jid === message.chat && (author === message.from || (message.fromMe && participant === undefined));
  }
  return resolve(hub, jid)?.account.jid === message.chat;
};

const bytesOf = (node: BinaryNode | undefined, tag: string): Uint8Array => {
  const content = getBinaryNodeChild(node, tag)?.content;
  return content instanceof Uint8Array ? content : new Uint8Array(0);
};

const refused = (code: number): BinaryNode => element('error', { code: String(code) });

const answerTo = (phone: PhoneContext, id: string, receipt: BinaryNode, rmr: BinaryNode): BinaryNode => {
  const kept = keptMedia(phone, id);
  if (kept === null || phone.lostFiles.has(id) || !isNamed(phone, id, rmr.attrs)) return refused(NOT_FOUND);
  const { mediaKey, token } = kept;
  const request = getBinaryNodeChild(receipt, 'encrypt');
  try {
    const plain = openRetry({ ciphertext: bytesOf(request, 'enc_p'), iv: bytesOf(request, 'enc_iv') }, mediaKey, id);
    if (proto.ServerErrorReceipt.decode(plain).stanzaId !== id) return refused(GENERAL_ERROR);
  } catch {
    return refused(DECRYPTION_ERROR);
  }
  const { directPath } = phone.media.urlOf(token);
  const answer = proto.MediaRetryNotification.encode({ stanzaId: id, directPath, result: SUCCESS }).finish();
  const { ciphertext, iv } = sealRetry(answer, mediaKey, id);
  return {
    tag: 'encrypt',
    attrs: {},
    content: [element('enc_p', {}, ciphertext), element('enc_iv', {}, iv)],
  };
};

/** A receipt of type `server-error`. How a phone hands its answer to the network is not public; what companions receive is. */
export const answerMediaRetry = (phone: PhoneContext, receipt: BinaryNode): void => {
  const { hub, account } = phone;
  const { id, from = '' } = receipt.attrs;
  const asking = resolve(hub, from);
  const rmr = getBinaryNodeChild(receipt, 'rmr');
  if (id === undefined || asking?.account !== account || rmr === undefined) return;
  const companion = account.devices.get(asking.device);
  if (companion === undefined) return;
  hub.deliver(companion, {
    tag: 'notification',
    attrs: { id, from: account.jid, type: 'mediaretry', t: String(Math.floor(Date.now() / 1000)) },
    content: [answerTo(phone, id, receipt, rmr), { tag: 'rmr', attrs: rmr.attrs }],
  });
};
