/**
 * Usernames: an alias of a LID that its owner changes and others may take. Sources: zapo `protocol/username.ts`, `WaProfileCoordinator`
 * (2026-08-19), after `WAWebUsernameValidationUtils`; whatsapp-rust #1381 (2026-09-01).
 */
import type { BinaryNode } from 'baileys';
import type { Account } from '../../base/types.ts';
import { element } from '../../base/nodes.ts';
import type { HubState } from '../state/state.ts';

const form = /^(?!\.)(?!.*\.\.)(?!.*\.$)(?=.*[a-z])[a-z0-9_.]{3,35}$/;
const domain = /^www\.|\.(?:com|org|net|int|edu|gov|mil|arpa|html|htm|txt|xml)$/;
const reserved = /whatsapp|instagram|facebook|oculus/;

/** A name the network allows. */
export const isUsername = (text: string): boolean => {
  const name = text.toLowerCase();
  return name.length <= 35 && form.test(name) && !domain.test(name) && !reserved.test(name);
};

export const isUsernameKey = (text: string): boolean => /^\d{4}$/.test(text);

/** `username`, or `<own>_username`, next to the address attribute. */
export const usernameIn = ({ username }: Account, own?: string): Record<string, string> =>
  username === null ? {} : { [own === undefined ? 'username' : `${own}_username`]: username };

const contact = (type: 'in' | 'out', username: string): BinaryNode => element('contact', { type, username });

/**
 * The answer to `<user><contact username pin?>`: the account, `out` for a free name, an error for an invalid one, and no address for a
 * wrong or missing key.
 */
export const lookedUp = (hub: HubState, { username = '', pin }: BinaryNode['attrs']): BinaryNode => {
  if (!isUsername(username)) {
    const error = element('error', { code: '400', text: 'bad-request' });
    return element('user', {}, [element('contact', { username }, [error])]);
  }
  const account = hub.registry.named(username);
  if (account === null || account.username === null) return element('user', {}, [contact('out', username)]);
  const found = contact('in', account.username);
  if (account.usernameKey !== null && account.usernameKey !== pin) return element('user', {}, [found]);
  return element('user', { jid: account.lid, ...(!account.hidesNumber && { pn_jid: account.jid }) }, [found]);
};

/** The answer to `<username/>` in a query about a known person. */
export const usernameNode = ({ username }: Account): BinaryNode =>
  username === null
    ? element('username', {}, [element('error', { code: '404', text: 'item-not-found' })])
    : element('username', {}, Buffer.from(username));
