/** Finds the account of a phone number; remembers who there is, and for a short time who there is not. */
import type { Jid } from '../../domain/jid.ts';
import type { Link } from '../login/link.ts';
import { numberVariants } from './number-variants.ts';
import { plainJid } from '../translate/people.ts';
import { askAccounts } from './usync.ts';

export type LookUpContext = Pick<Link, 'deviceId' | 'store' | 'memory' | 'sock' | 'lidMapping' | 'clock'>;

/** Somebody may register the number any minute. */
const nobodyForMs = 60_000;
/** Numbers change hands, too, but not often. */
const keptForMs = 30 * 86_400_000;

/** Kept as `<JID> <ms>`: who it is, and when the network said so. */
const stored = async ({ deviceId, store, clock }: LookUpContext, number: string): Promise<Jid | null> => {
  const kept = (await store.readKeys(deviceId, 'number', [number])).get(number);
  const [jid, at] = kept === undefined ? [] : Buffer.from(kept).toString().split(' ');
  return jid !== undefined && clock.now() - Number(at) < keptForMs ? jid : null;
};

/** Asks the network, also for the LID, which a first message would have to ask for; the number itself wins over its variants. Throws when it does not answer. */
const ask = async ({ sock, lidMapping }: LookUpContext, number: string): Promise<Jid | null> => {
  const answers = await askAccounts(sock, numberVariants(number));
  const found = answers.map(({ jid, lid }) => ({ jid: plainJid(jid), lid }));
  const account = found.find(({ jid }) => jid.startsWith(`${number}@`)) ?? found[0];
  if (account === undefined) return null;
  const { jid, lid } = account;
  if (lid !== null) await lidMapping.storeLIDPNMappings([{ lid, pn: jid }]);
  return jid;
};

export const lookUp = async (context: LookUpContext, number: string): Promise<Jid | null> => {
  const { deviceId, store, memory, clock } = context;
  const known = memory.accounts.get(number);
  if (known !== undefined) return known;
  const kept = await stored(context, number);
  const jid = kept ?? (await ask(context, number));
  if (jid === null) {
    memory.accounts.set(number, null, { ttl: nobodyForMs });
    return null;
  }
  memory.accounts.set(number, jid);
  if (kept === null) {
    await store.commit(deviceId, {
      keys: [{ type: 'number', id: number, value: Buffer.from(`${jid} ${clock.now()}`) }],
    });
  }
  return jid;
};
