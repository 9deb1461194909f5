/** What the phone does for a companion that was just linked: it hands over keys and a first history. */
import { hkdfSync } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { proto } from 'baileys';
import type { Device } from '../types.ts';
import { addressee } from './address.ts';
import type { Message, PhoneContext } from './context.ts';
import { type History, historyOf } from './history.ts';
import { messageId } from './ids.ts';
import { postToOwn } from './sending.ts';

/** A companion publishes its keys on its first login, a moment after the pairing. */
const keysWithinMs = 60_000;
const pollMs = 20;

const { Type } = proto.Message.ProtocolMessage;

/** The same for all companions of a phone, until it is reinstalled: each can read what another has written there. */
const appStateKey = ({ keys }: PhoneContext): Message => {
  const { identity } = keys.state;
  const derived = Buffer.from(hkdfSync('sha256', identity.privKey, new Uint8Array(0), 'app state', 40));
  return {
    protocolMessage: {
      type: Type.APP_STATE_SYNC_KEY_SHARE,
      appStateSyncKeyShare: {
        keys: [
          {
            keyId: { keyId: Buffer.concat([Buffer.from([0, 0]), derived.subarray(0, 4)]) },
            keyData: {
              keyData: derived.subarray(8),
              fingerprint: { rawId: derived.readUInt32BE(4), currentIndex: 0, deviceIndexes: [0, 1] },
              timestamp: Date.now(),
            },
          },
        ],
      },
    },
  };
};

/**
 * The history travels in the message itself, as the network's first chunk may: a stock client asks the real network's own
 * host for a chunk that lies on a media host, since the notification names none.
 */
const history = (kind: 'INITIAL_BOOTSTRAP' | 'PUSH_NAME' | 'RECENT', content: Partial<History>): Message => ({
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
  const { conversations, phoneNumberToLidMappings, pushnames } = historyOf(phone);
  const messages = [
    appStateKey(phone),
    history('INITIAL_BOOTSTRAP', { conversations, phoneNumberToLidMappings }),
    history('PUSH_NAME', { pushnames }),
    history('RECENT', { phoneNumberToLidMappings }),
  ];
  for (const message of messages) await postToOwn(phone, companion, messageId(), message);
};
