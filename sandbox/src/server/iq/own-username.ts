/**
 * The account's own username and its key (`w:mex`). Sources: `WAWebMexSetUsernameJob`, `WAWebMexUsernameAvailabilityQuery`,
 * `WAWebMexSetUsernameKeyJob`; zapo `WaProfileCoordinator` (2026-08-19). Which results the network gives beside SUCCESS is not known.
 */
import type { Account } from '../../base/types.ts';
import { isObject } from '../../base/fields.ts';
import { isUsername, isUsernameKey } from '../accounts/usernames.ts';
import { setUsername } from '../messages/username-news.ts';
import type { HubState } from '../state/state.ts';

const memberIn = (variables: unknown, name: string): unknown => (isObject(variables) ? variables[name] : undefined);

const isFree = (hub: HubState, account: Account, name: unknown): name is string => {
  if (typeof name !== 'string' || !isUsername(name)) return false;
  const holder = hub.registry.named(name);
  return holder === null || holder === account;
};

const result = (isDone: boolean): object => ({ result: isDone ? 'SUCCESS' : 'FAILURE' });

const own = (_: HubState, { username, usernameKey }: Account): object => ({
  xwa2_username_get: { username_info: username === null ? null : { username, state: 'ACTIVE', pin: usernameKey } },
});

const check = (hub: HubState, account: Account, variables: unknown): object => ({
  xwa2_username_check: { ...result(isFree(hub, account, memberIn(variables, 'input'))), suggestions: [] },
});

/** Without `input`, the name is given up. */
const set = (hub: HubState, account: Account, variables: unknown): object => {
  const name = memberIn(variables, 'input');
  const isDone = name === undefined || isFree(hub, account, name);
  if (isDone) setUsername(hub, account, name ?? null);
  return { xwa2_username_set: result(isDone) };
};

/** Without `pin`, people no longer need one. */
const setKey = (_: HubState, account: Account, variables: unknown): object => {
  const pin = memberIn(variables, 'pin');
  const isDone = account.username !== null && (pin === undefined || (typeof pin === 'string' && isUsernameKey(pin)));
  if (isDone) account.usernameKey = typeof pin === 'string' ? pin : null;
  return { xwa2_username_pin_set: result(isDone) };
};

export const aboutOwnUsername: Readonly<
  Record<string, (hub: HubState, account: Account, variables: unknown) => object>
> = {
  '25347099718279209': own,
  '26122779627399568': check,
  '25757341163897635': set,
  '9749436995157074': setKey,
};
