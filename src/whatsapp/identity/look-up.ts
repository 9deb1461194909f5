/** Finds the account of a phone number. Caches results, and negative ones briefly. */
import { type Jid, jidUser, phoneJid } from '../../domain/jid.ts';
import type { Socket } from '../socket/socket.ts';
import type { Clock } from '../../domain/clock.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { numberVariants, spellingsOf } from '../../domain/chats/recipient.ts';
import { plainJid } from './people.ts';
import { askAccounts } from '../socket/account-queries.ts';

export interface LookUpContext {
  readonly deviceId: number;
  readonly store: Pick<SessionStore, 'readKeys' | 'commit'>;
  readonly memory: Pick<DeviceMemory, 'accounts'>;
  readonly sock: Pick<Socket, 'usync'>;
  readonly lidMapping: Pick<LidMapping, 'storeLIDPNMappings' | 'addressesOf' | 'peek'>;
  readonly clock: Clock;
}

const nobodyForMs = 60_000;
const keptForMs = 30 * 86_400_000;

const stored = async ({ deviceId, store, clock }: LookUpContext, number: string): Promise<Jid | null> => {
  const kept = (await store.readKeys(deviceId, 'number', [number])).get(number);
  const [jid, at] = kept === undefined ? [] : Buffer.from(kept).toString().split(' ');
  return jid !== undefined && clock.now() - Number(at) < keptForMs ? jid : null;
};

const remember = async ({ deviceId, store, memory, clock }: LookUpContext, number: string, jid: Jid | null) => {
  if (jid === null) return void memory.accounts.set(number, null, { ttl: nobodyForMs });
  memory.accounts.set(number, jid);
  const value = Buffer.from(`${jid} ${clock.now()}`);
  await store.commit(deviceId, { keys: [{ type: 'number', id: number, value }] });
};

/** Also queries LIDs that first messages would need; a number wins over its variants. Throws without an answer. */
export const askAll = async (
  context: LookUpContext,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, Jid | null>> => {
  const { sock, lidMapping } = context;
  const answers = await askAccounts(sock, [...new Set(numbers.flatMap(numberVariants))]);
  const found = answers.map((each) => ({ ...each, jid: plainJid(each.jid) }));
  await lidMapping.storeLIDPNMappings(found.flatMap(({ jid, lid }) => (lid === null ? [] : [{ lid, pn: jid }])));
  const accounts = new Map<string, Jid | null>();
  for (const number of numbers) {
    const variants = numberVariants(number);
    const named =
      variants.map((each) => found.find(({ jid }) => jid === phoneJid(each))).find(Boolean) ??
      variants.map((each) => found.find(({ asked }) => asked === each)).find(Boolean);
    const { jid = null } = named ?? (numbers.length === 1 ? found[0] : undefined) ?? {};
    await remember(context, number, jid);
    accounts.set(number, jid);
  }
  return accounts;
};

export const knownAccounts = async (
  context: LookUpContext,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, Jid | null>> => {
  const known = new Map<string, Jid | null>();
  for (const number of numbers) {
    const remembered = context.memory.accounts.get(number);
    const jid = remembered ?? (await stored(context, number));
    if (jid !== null || remembered === null) known.set(number, jid);
    if (jid !== remembered && jid !== null) context.memory.accounts.set(number, jid);
  }
  return known;
};

export const lookUp = async (context: LookUpContext, number: string): Promise<Jid | null> => {
  const known = await knownAccounts(context, [number]);
  return known.has(number) ? known.get(number)! : (await askAll(context, [number])).get(number)!;
};

export const registered = async (context: LookUpContext, jid: Jid): Promise<Jid> => {
  const spellings = spellingsOf(jid);
  if (spellings.length === 1) return jid;
  for (const each of spellings) if ((await context.lidMapping.addressesOf(each)).lid !== null) return each;
  return (await lookUp(context, jidUser(jid))) ?? jid;
};
