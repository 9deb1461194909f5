/** People whom the account knows, found by what somebody types. */
import { useAccount } from '../../account/account.tsx';
import type { Answer } from '../../api/schemas.ts';
import { ApiError, type Client } from '../../api/client.ts';
import { useDelayed, useLoad } from '../../api/hooks.ts';
import type { Device } from '../../api/types.ts';
import { phoneNumber } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';
import { plainNumber } from '../../base/typed-number.ts';
import { type Recipient, recipientOf } from '../../outbox/entry.ts';
import { FieldError } from '../../ui/form.ts';

const words = texts.groups.people;
const searchMs = 300;
const maxOffered = 6;

export interface Chosen {
  /** The digits of a number, or a JID. */
  readonly address: string;
  readonly name: string;
}

const find = async (client: Client, device: Device, query: string): Promise<readonly Chosen[]> => {
  const path = `/v1/devices/${device.id}/contacts?limit=${maxOffered}&q=${encodeURIComponent(query)}`;
  const { contacts } = await client.get<Answer<'listContacts'>>(path);
  return contacts.map(({ jid, number, username, name, businessName, pushName }) => ({
    address: number ?? jid,
    name:
      name ?? businessName ?? pushName ?? (number === null ? (username && `@${username}`) || jid : phoneNumber(number)),
  }));
};

/** Contacts that match the last word of a typed list, once the typing pauses. */
export const useOffered = (device: Device, typed: string): readonly Chosen[] => {
  const { client } = useAccount();
  const query = useDelayed(
    typed
      .split(/[,;\n]/)
      .at(-1)
      ?.trim()
      .slice(0, 100) ?? '',
    searchMs,
  );
  const key = query === '' || typed.trim() === '' ? null : `${device.id} ${query}`;
  const found = useLoad(async () => ({ key, people: await find(client, device, query) }), key);
  return key !== null && found.value?.key === key ? found.value.people : [];
};

interface OfferedProps {
  readonly offered: readonly Chosen[];
  readonly take: (person: Chosen) => void;
}

export const Offered = ({ offered, take }: OfferedProps) =>
  offered.length > 0 && (
    <ul className="choose-chat" aria-label={words.offered}>
      {offered.map((one) => (
        <li key={one.address}>
          <button type="button" className="quiet wide" onClick={() => take(one)}>
            {one.name}
            {/^\d+$/.test(one.address) && phoneNumber(one.address) !== one.name && (
              <span className="dim">{phoneNumber(one.address)}</span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );

export const numberIn = (text: string): Chosen | null => {
  const digits = plainNumber(text);
  return /^\d{8,15}$/.test(digits) ? { address: digits, name: phoneNumber(digits) } : null;
};

/** True as well if the service cannot tell now: sending reports it then. */
const mayExist = async (client: Client, device: Device, number: string): Promise<boolean> => {
  try {
    const path = `/v1/devices/${device.id}/contacts/lookup?numbers=${number}`;
    const { contacts } = await client.get<Answer<'lookUpNumbers'>>(path);
    return contacts.every(({ exists }) => exists);
  } catch (error) {
    if (error instanceof ApiError && error.code !== 400) return true;
    throw error;
  }
};

/** The person who has it now, by LID: the name may go to somebody else. */
const byUsername = async (client: Client, device: Device, text: string): Promise<Recipient> => {
  const path = `/v1/devices/${device.id}/contacts/lookup`;
  const { contacts } = await client.post<Answer<'lookUpUsernames'>>(path, { usernames: [text] });
  const [found] = contacts;
  if (found?.keyRequired === true) throw new FieldError('to', texts.refusals.username_key_required);
  if (found === undefined || found.lid === null) throw new FieldError('to', texts.refusals.username_unknown);
  return { to: found.lid };
};

/** A JID, a number on the network, a username, or the name of exactly one contact. Throws FieldError for anything else. */
export const findRecipient = async (client: Client, device: Device, typed: string): Promise<Recipient> => {
  const text = typed.trim();
  if (text === '') throw new FieldError('to', texts.compose.needsTo);
  if (text.startsWith('@')) return byUsername(client, device, text);
  const recipient = recipientOf(text);
  if ('to' in recipient && text.includes('@')) return recipient;
  if ('toNumber' in recipient) {
    if (numberIn(text) === null) throw new FieldError('to', texts.compose.contact.needsNumber);
    if (await mayExist(client, device, recipient.toNumber)) return recipient;
    throw new FieldError('to', texts.refusals.number_not_on_network);
  }
  const named = (await find(client, device, text)).filter(({ name }) => name.toLowerCase() === text.toLowerCase());
  const [only] = named;
  if (only === undefined || named.length > 1) throw new FieldError('to', words.unknown);
  return recipientOf(only.address);
};
