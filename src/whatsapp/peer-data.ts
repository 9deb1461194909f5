/**
 * What the phone hands to its companions in messages of their own: keys of the application state, and where chunks of history are. Both are kept in
 * the commit of the message, before its receipt can leave: the phone sends each once.
 */
import type { proto } from 'baileys';
import type { KeyChange } from '../domain/changes.ts';
import type { PendingChunks } from './history/pending.ts';
import { encodeKey } from './signal/key-codec.ts';

/** A phone has a handful of keys at a time. */
const mostKeys = 100;

const keysShared = ({ keys }: proto.Message.IAppStateSyncKeyShare): readonly KeyChange[] =>
  (keys ?? []).slice(0, mostKeys).flatMap(({ keyId, keyData }) =>
    keyId?.keyId?.length && keyData?.keyData?.length
      ? [
          {
            type: 'app-state-sync-key',
            id: Buffer.from(keyId.keyId).toString('base64'),
            value: encodeKey('app-state-sync-key', keyData),
          },
        ]
      : [],
  );

/** `message` must be from another device of the own account. */
export const peerDataKeys = ({ protocolMessage }: proto.IMessage, pending: PendingChunks): readonly KeyChange[] => {
  const { appStateSyncKeyShare, historySyncNotification } = protocolMessage ?? {};
  if (appStateSyncKeyShare) return keysShared(appStateSyncKeyShare);
  return historySyncNotification ? pending.keep(historySyncNotification) : [];
};
