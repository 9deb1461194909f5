/**
 * Whether the account's chats with persons have moved to LIDs, as the network and the phone tell it; `addressing.ts` follows that.
 *
 * Sources: `isChatDbLidMigrated` in the `<client-props>` of pair-success, AB property 9435 `lid_one_on_one_migration_enabled`, and the phone's mapping
 * sync (whatsapp-rust #943, 2026-07-02, of WhatsApp Web's `WAWebHandlePairSuccess`; zapo `WaMobileCoordinator`, 2026-08-19). The newest told wins, and what
 * the network does with messages over what it says (`ack-reactions.ts`). What is left out tells nothing.
 */
import {
  type AuthenticationCreds,
  type BinaryNode,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  proto,
  type WASocket,
} from 'baileys';
import { factsOf, keepFacts, setFacts } from './account-facts.ts';

type Emitting = Pick<WASocket, 'ev'>;

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

/** Of a link that is being made, whose credentials are written next. */
export const noteClientProps = (creds: AuthenticationCreds, pairSuccess: BinaryNode): void => {
  const told = clientPropsIn(pairSuccess)?.isChatDbLidMigrated;
  if (typeof told === 'boolean') setFacts(creds, { lidMigrated: told });
};

/** `told`: AB properties by code or by name. */
export const noteMigrationSwitch = (
  sock: Emitting,
  creds: AuthenticationCreds,
  told: ReadonlyMap<string | undefined, string | undefined>,
): void => {
  const value = told.get('9435') ?? told.get('lid_one_on_one_migration_enabled');
  if (value !== undefined) note(sock, creds, value === 'true' || value === '1');
};

/** The phone tells of all its chats once they have moved; the engine keeps the pairs, and takes them from the own account alone. */
export const followMappingSync = (sock: Emitting, creds: AuthenticationCreds): void => {
  sock.ev.on('messages.upsert', ({ messages }) => {
    const moved = messages.some(({ key, message }) => {
      const { type } = message?.protocolMessage ?? {};
      return key.fromMe === true && type === proto.Message.ProtocolMessage.Type.LID_MIGRATION_MAPPING_SYNC;
    });
    if (moved) note(sock, creds, true);
  });
};
