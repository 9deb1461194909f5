/** Sends keys and a first history to a companion that was just linked. */
import { deflateSync } from 'node:zlib';
import { proto } from 'baileys';
import { encryptMedia, uploadToken } from '../../media/cipher.ts';
import type { Device } from '../../base/types.ts';
import { addressee } from '../context/address.ts';
import { appStateKeyOf } from './app-state.ts';
import { type Message, type PhoneContext, messageId } from '../context/context.ts';
import { type Chunk, chunksOf } from './history.ts';
import { postToOwn } from '../sending/sending.ts';
import { historyNctSalt } from './app-state-codec.ts';

const keysWithinMs = 60_000;
const pollMs = 20;

const { Type } = proto.Message.ProtocolMessage;

const appStateKey = ({ keys }: PhoneContext): Message => {
  const { id, data, rawId } = appStateKeyOf(keys.state.identity.privKey);
  return {
    protocolMessage: {
      type: Type.APP_STATE_SYNC_KEY_SHARE,
      appStateSyncKeyShare: {
        keys: [
          {
            keyId: { keyId: id },
            keyData: {
              keyData: data,
              fingerprint: { rawId, currentIndex: 0, deviceIndexes: [0, 1] },
              timestamp: Date.now(),
            },
          },
        ],
      },
    },
  };
};

/** Larger chunks go to the media host. */
const maxInline = 16_384;

/** Short chunks are sent inline: a stock client fetches others from the real network's host, since the notification names none. */
export const history = async (
  { media }: PhoneContext,
  { kind, progress, chunkOrder, ...content }: Chunk,
  request?: string,
): Promise<Message> => {
  const { nctSalt, ...known } = content;
  const about = { syncType: proto.HistorySync.HistorySyncType[kind], chunkOrder, progress };
  const encoded = proto.HistorySync.encode({ ...about, ...known }).finish();
  const compressed = deflateSync(nctSalt === undefined ? encoded : Buffer.concat([encoded, historyNctSalt(nctSalt)]));
  const notification = {
    syncType: proto.Message.HistorySyncType[kind],
    chunkOrder,
    progress,
    ...(request !== undefined && { peerDataRequestSessionId: request }),
  };
  const named = (where: proto.Message.IHistorySyncNotification): Message => ({
    protocolMessage: {
      type: Type.HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: { ...notification, ...where },
    },
  });
  if (compressed.length <= maxInline) return named({ initialHistBootstrapInlinePayload: compressed });
  const { body, mediaKey, fileSha256, fileEncSha256, fileLength } = encryptMedia(compressed, 'md-msg-hist');
  const token = uploadToken(fileEncSha256);
  await media.blobs.put(token, body);
  return named({ mediaKey, fileSha256, fileEncSha256, fileLength, directPath: media.urlOf(token).directPath });
};

const published = (device: Device): Promise<boolean> => {
  const deadline = Date.now() + keysWithinMs;
  return new Promise((resolve) => {
    const look = (): void => {
      const linked = device.account.devices.get(device.id) === device;
      if (!linked || Date.now() > deadline) return resolve(false);
      if (device.keys !== null) return resolve(true);
      setTimeout(look, pollMs).unref();
    };
    look();
  });
};

export const shareAppStateKey = (phone: PhoneContext, device: number): Promise<void> =>
  postToOwn(phone, addressee(phone.account, device), messageId(), appStateKey(phone));

/** Without these a companion delays messages while it waits for its history. */
export const shareWithCompanion = async (phone: PhoneContext, device: Device): Promise<void> => {
  if (!(await published(device))) return;
  const companion = addressee(phone.account, device.id);
  await phone.appState.sync();
  await shareAppStateKey(phone, device.id);
  for (const chunk of chunksOf(phone)) {
    await postToOwn(phone, companion, messageId(), await history(phone, chunk));
  }
};
