/**
 * Data that the phone sends to its companions in messages of their own: app state keys, and the locations of history chunks. Both are kept in
 * the commit of the message, before its receipt can leave: the phone sends each once.
 */
import type { proto } from '../engine/proto.ts';
import type { AuthenticationCreds } from '../engine/types.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import type { PendingChunks } from '../chats/history/pending.ts';
import { serializeCredentials } from '../signal/credentials.ts';
import { encodeKey } from '../signal/key-codec.ts';

/** A phone has a handful of keys at a time. */
const mostKeys = 100;

const keysShared = ({ keys }: proto.Message.IAppStateSyncKeyShare): NonNullable<SessionChanges['keys']> =>
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
export const peerDataChanges = (
  { protocolMessage }: proto.IMessage,
  creds: AuthenticationCreds,
  pending: PendingChunks,
): Pick<SessionChanges, 'keys' | 'credentials'> => {
  const { appStateSyncKeyShare, historySyncNotification } = protocolMessage ?? {};
  if (historySyncNotification) return { keys: pending.keep(historySyncNotification) };
  const keys = appStateSyncKeyShare ? keysShared(appStateSyncKeyShare) : [];
  const newest = keys.at(-1);
  if (newest === undefined) return {};
  // Baileys does the same once the receipt has left.
  creds.myAppStateKeyId = newest.id;
  return { keys, credentials: serializeCredentials(creds) };
};
