/**
 * Whether the account's 1:1 chats have moved to LIDs. Sources: `isChatDbLidMigrated` in the `<client-props>` of pair-success, AB property 9435,
 * the phone's mapping sync (whatsapp-rust #943, 2026-07-02, of `WAWebHandlePairSuccess`; zapo `WaMobileCoordinator`, 2026-08-19). The newest
 * statement wins, and the treatment of messages (`send/server-ack.ts`) wins over statements. Omissions mean nothing.
 */
import { gunzipSync } from 'node:zlib';
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild } from '../library/nodes.ts';
import { proto } from '../library/proto.ts';
import type { AuthenticationCreds, LIDMapping } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import { lidJid, phoneJid } from '../../domain/jid.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { factsOf, keepFacts, setFacts } from './account.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';

type Emitting = Pick<Socket, 'update'>;

const note = (sock: Emitting, creds: AuthenticationCreds, lidMigrated: boolean): void => {
  if (factsOf(creds).lidMigrated !== lidMigrated) keepFacts(sock, creds, { lidMigrated });
};

const clientPropsIn = (pairSuccess: BinaryNode): proto.IClientPairingProps | null => {
  const [inner] = getAllBinaryNodeChildren(pairSuccess);
  const content = getBinaryNodeChild(inner, 'client-props')?.content;
  if (!(content instanceof Uint8Array)) return null;
  try {
    return proto.ClientPairingProps.decode(content);
  } catch {
    return null;
  }
};

export const noteClientProps = (creds: AuthenticationCreds, pairSuccess: BinaryNode): void => {
  const told = clientPropsIn(pairSuccess)?.isChatDbLidMigrated;
  if (typeof told === 'boolean') setFacts(creds, { lidMigrated: told });
};

/** `told`: AB property 9435; undefined if absent. */
export const noteMigrationSwitch = (sock: Emitting, creds: AuthenticationCreds, told: boolean | undefined): void => {
  if (told !== undefined) note(sock, creds, told);
};

/** More than any phone has; further pairs are queried when needed. */
const maxPairs = 50_000;
const maxBytes = 8 * 1024 * 1024;

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Accepts compressed (phones) and uncompressed input (whatsmeow, 2026-08-21). Throws for anything else. */
export const pairsIn = (payload: Uint8Array): LIDMapping[] => {
  const bytes = isGzip(payload) ? gunzipSync(payload, { maxOutputLength: maxBytes }) : payload;
  const { pnToLidMappings } = proto.LIDMigrationMappingSyncPayload.decode(bytes);
  return pnToLidMappings.slice(0, maxPairs).map(({ pn, latestLid, assignedLid }) => {
    const lid = Number(latestLid) > 0 ? latestLid : assignedLid;
    return { lid: lidJid(String(lid)), pn: phoneJid(String(pn)) };
  });
};

export interface MappingSyncParts {
  readonly sock: Emitting;
  readonly creds: AuthenticationCreds;
  readonly lidMapping: Pick<LidMapping, 'storeLIDPNMappings'>;
  readonly whenPhoneSpoke: Set<(message: proto.IMessage) => void>;
  readonly log: Logger;
}

/** After the migration the phone sends LID mappings. */
export const followMappingSync = ({ sock, creds, lidMapping, whenPhoneSpoke, log }: MappingSyncParts): void => {
  const follow = async (payload: Uint8Array): Promise<void> => {
    note(sock, creds, true);
    await lidMapping.storeLIDPNMappings(pairsIn(payload));
  };
  whenPhoneSpoke.add(({ protocolMessage }) => {
    if (protocolMessage?.type !== proto.Message.ProtocolMessage.Type.LID_MIGRATION_MAPPING_SYNC) return;
    follow(protocolMessage.lidMigrationMappingSyncMessage?.encodedMappingPayload ?? new Uint8Array()).catch(
      (error: unknown) =>
        log.warn({ error: messageOf(error) }, "failed to store the phone's mapping of numbers to LIDs"),
    );
  });
};
