/** A phone whose chats with persons move from phone JIDs to LIDs tells its companions who is who. */
import { gzipSync } from 'node:zlib';
import { proto } from 'baileys';
import type { Account } from '../../base/types.ts';
import { addressee } from '../context/address.ts';
import type { Message, PhoneContext } from '../context/context.ts';
import { messageId } from '../context/ids.ts';
import { postToOwn } from '../sending/sending.ts';

/** The people of its chats, and itself. */
const peopleOf = ({ hub, account, view }: PhoneContext): ReadonlySet<Account> => {
  const people = new Set([account]);
  for (const chat of new Set(view.after(0).map((message) => message.chat))) {
    const person = hub.findAccount(chat);
    if (person !== null) people.add(person);
  }
  return people;
};

const user = (jid: string): number => Number(jid.split('@')[0]);

/** Compressed with gzip, as the network's own phones write it; whatsmeow and Baileys read it plain (both as of 2026-08). */
const mapping = (phone: PhoneContext): Message => ({
  protocolMessage: {
    type: proto.Message.ProtocolMessage.Type.LID_MIGRATION_MAPPING_SYNC,
    lidMigrationMappingSyncMessage: {
      encodedMappingPayload: gzipSync(
        proto.LIDMigrationMappingSyncPayload.encode({
          pnToLidMappings: [...peopleOf(phone)].map(({ jid, lid }) => ({
            pn: user(jid),
            assignedLid: user(lid),
            latestLid: user(lid),
          })),
          chatDbMigrationTimestamp: Math.floor(Date.now() / 1000),
        }).finish(),
      ),
    },
  },
});

/** To each companion; one that was linked after the migration knows it from `pair-success`. */
export const tellMapping = async (phone: PhoneContext): Promise<void> => {
  const message = mapping(phone);
  for (const { id } of phone.account.devices.values()) {
    if (id !== 0) await postToOwn(phone, addressee(phone.account, id), messageId(), message);
  }
};
