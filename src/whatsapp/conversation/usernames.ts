/** Sources: zapo `profile.ts`, `WaProfileCoordinator` (2026-08-19), whatsapp-rust (2026-08-21). The network's limits are not public. */
import { randomUUID } from 'node:crypto';
import type { FoundUsername, ProfileChange } from '../../domain/chats/conversation.ts';
import { jidUser } from '../../domain/jid.ts';
import { invalidRequest } from '../../errors.ts';
import { type NamedByUsername, sameUsername, usernameIn } from '../../domain/chats/usernames.ts';
import { askUsername } from '../socket/account-queries.ts';
import { refusalOf, asked } from '../socket/query.ts';
import { mexAnswer, mexOutcome, mexQuestion } from '../socket/mex.ts';
import { plainJid } from '../identity/people.ts';
import type { Session } from '../session.ts';

/** Anybody may take the name, or drop the key, at any time. */
const nobodyForMs = 60_000;

const cacheKey = ({ username, key }: NamedByUsername): string => `${username.toLowerCase()} ${key ?? ''}`;

const toldLater = ({ lidMapping }: Session, { lid, username }: FoundUsername): boolean => {
  const now = lid === null ? undefined : lidMapping.usernames.cached(jidUser(lid));
  return now !== undefined && !sameUsername(now ?? '', username);
};

export const knownUsernames = (session: Session, names: readonly NamedByUsername[]): readonly FoundUsername[] =>
  names.flatMap((name) => {
    const found = session.memory.usernames.get(cacheKey(name));
    return found === undefined || toldLater(session, found) ? [] : [{ ...found, username: name.username }];
  });

const lookUpUsername = async (session: Session, name: NamedByUsername): Promise<FoundUsername> => {
  const { sock, lidMapping, memory, clock } = session;
  const { username } = name;
  const answer = await askUsername(sock, username, name.key);
  const none = { username, exists: answer.exists, keyRequired: answer.keyRequired, jid: null, lid: null, number: null };
  if (answer.lid === null) {
    memory.usernames.set(cacheKey(name), none, { ttl: nobodyForMs });
    return none;
  }
  const lid = plainJid(answer.lid);
  if (answer.phone !== null) await lidMapping.storeLIDPNMappings([{ lid, pn: plainJid(answer.phone) }]);
  const { phone } = await lidMapping.addressesOf(lid);
  await lidMapping.usernames.keep([{ lidUser: jidUser(lid), username: answer.username ?? username, at: clock.now() }]);
  const found = { ...none, jid: phone ?? lid, lid, number: phone === null ? null : jidUser(phone) };
  memory.usernames.set(cacheKey(name), found);
  return found;
};

/** One at a time, as for numbers. */
export const lookUpUsernames = async (
  session: Session,
  names: readonly NamedByUsername[],
): Promise<readonly FoundUsername[]> => {
  const found: FoundUsername[] = [];
  for (const name of names)
    found.push(await asked(session.deviceId, {}, () => session.lookUps(() => lookUpUsername(session, name))));
  return found;
};

/** Null if the network refuses, which it does until the account may have a name. */
export const ownUsername = async ({ sock, deviceId, queryIds }: Session): Promise<string | null> => {
  const answer = await asked(deviceId, {}, async () => {
    try {
      return await sock.query(mexQuestion(queryIds.ownUsername, {}));
    } catch (error) {
      if (refusalOf(error) === null) throw error;
      return null;
    }
  });
  const info: unknown = mexAnswer(answer, 'xwa2_username_get')?.['username_info'];
  return typeof info === 'object' && info !== null ? usernameIn(Reflect.get(info, 'username')) : null;
};

/** Bytes of an answer; a longer one is no success. */
const maxAnswer = 65_536;

/** Queries the name first, like the apps (`WAWebMexSetUsernameJob`); refusals may be text (innovatorssoft/Baileys #61). Throws InvalidRequest. */
export const changeOwnUsername = async (
  { sock, deviceId, queryIds }: Session,
  { username, usernameKey }: Pick<ProfileChange, 'username' | 'usernameKey'>,
): Promise<void> => {
  const ask = async (id: string, variables: object, member: string, refusal: string): Promise<void> => {
    const answer = await asked(deviceId, {}, () => sock.query(mexQuestion(id, variables)));
    const { data, refusal: said } = mexOutcome(answer, maxAnswer);
    const told = data?.[member];
    if (typeof told === 'object' && told !== null && Reflect.get(told, 'result') === 'SUCCESS') return;
    throw invalidRequest(said === null || said.text === '' ? refusal : `${refusal} (${said.text})`);
  };
  if (typeof username === 'string') {
    const refusal = `username: somebody else has ${username}, or the network keeps it back`;
    await ask(queryIds.usernameCheck, { input: username }, 'xwa2_username_check', refusal);
  }
  if (username !== undefined) {
    const given = { input: username, reserved: false, session_id: randomUUID(), source: 'USER_INPUT' };
    const refusal = 'username: the network does not let the account change it now';
    await ask(queryIds.usernameSet, username === null ? {} : given, 'xwa2_username_set', refusal);
  }
  if (usernameKey !== undefined) {
    const refusal = 'usernameKey: the network does not take it; the account needs a username first';
    const given = usernameKey === null ? {} : { pin: usernameKey };
    await ask(queryIds.usernameKeySet, given, 'xwa2_username_pin_set', refusal);
  }
};
