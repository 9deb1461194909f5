/** What the phone does for a companion that was just linked: it hands over keys and a first history. */
import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { proto } from 'baileys';
import type { Device } from '../types.ts';
import { addressee } from './address.ts';
import type { Message, PhoneContext } from './context.ts';
import { messageId } from './ids.ts';
import { postToOwn } from './sending.ts';

/** A companion publishes its keys on its first login, a moment after the pairing. */
const keysWithinMs = 60_000;
const pollMs = 20;

const { Type } = proto.Message.ProtocolMessage;

/** A key for the application state; the sandbox keeps none, but a companion waits for it. */
const appStateKey = (): Message => ({
  protocolMessage: {
    type: Type.APP_STATE_SYNC_KEY_SHARE,
    appStateSyncKeyShare: {
      keys: [
        {
          keyId: { keyId: Buffer.concat([Buffer.from([0, 0]), randomBytes(4)]) },
          keyData: {
            keyData: randomBytes(32),
            fingerprint: { rawId: randomBytes(4).readUInt32BE(), currentIndex: 0, deviceIndexes: [0, 1] },
            timestamp: Date.now(),
          },
        },
      ],
    },
  },
});

const history = (
  phone: PhoneContext,
  kind: 'INITIAL_BOOTSTRAP' | 'PUSH_NAME' | 'RECENT',
  content: proto.IHistorySync,
): Message => ({
  protocolMessage: {
    type: Type.HISTORY_SYNC_NOTIFICATION,
    historySyncNotification: {
      syncType: proto.Message.HistorySyncType[kind],
      chunkOrder: 1,
      progress: 100,
      initialHistBootstrapInlinePayload: deflateSync(
        proto.HistorySync.encode({
          syncType: proto.HistorySync.HistorySyncType[kind],
          chunkOrder: 1,
          progress: 100,
          phoneNumberToLidMappings: [{ pnJid: phone.account.jid, lidJid: phone.account.lid }],
          ...content,
        }).finish(),
      ),
    },
  },
});

/** Resolves once the companion has published keys; false when it never does or was unlinked meanwhile. */
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

/** Without these a companion holds messages back for a while, waiting for its history. */
export const welcome = async (phone: PhoneContext, device: Device): Promise<void> => {
  if (!(await published(device))) return;
  const companion = addressee(phone.account, device.id);
  const pushnames = [{ id: phone.account.jid, pushname: phone.account.name }];
  const messages = [
    appStateKey(),
    history(phone, 'INITIAL_BOOTSTRAP', { conversations: [] }),
    history(phone, 'PUSH_NAME', { pushnames }),
    history(phone, 'RECENT', { conversations: [] }),
  ];
  for (const message of messages) await postToOwn(phone, companion, messageId(), message);
};
