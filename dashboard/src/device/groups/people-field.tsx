/** The choice of people, by name or phone number. */
import { type KeyboardEvent, useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import type { Contact } from '../../api/chat.ts';
import type { Device } from '../../api/types.ts';
import { phoneNumber } from '../../base/format.ts';
import { useDelayed, useLoad } from '../../api/hooks.ts';
import { texts } from '../../base/texts.ts';
import { Field } from '../../ui/parts.tsx';
import { plainNumber } from '../../base/typed-number.ts';

const words = texts.groups.people;
const searchMs = 300;
const maxOffered = 6;

export interface Chosen {
  /** The digits of a number, or a JID. */
  readonly address: string;
  readonly name: string;
}

const useOffered = (device: Device, query: string): readonly Chosen[] => {
  const { client } = useAccount();
  const path = `/v1/devices/${device.id}/contacts?limit=${maxOffered}&q=${encodeURIComponent(query)}`;
  const found = useLoad(
    async () => ({ query, contacts: (await client.get<{ contacts: readonly Contact[] }>(path)).contacts }),
    query === '' ? null : path,
  );
  if (found.value?.query !== query) return [];
  return found.value.contacts.map(({ jid, number, name, businessName, pushName }) => ({
    address: number ?? jid,
    name: name ?? businessName ?? pushName ?? (number === null ? jid : phoneNumber(number)),
  }));
};

const numberIn = (text: string): Chosen | null => {
  const digits = plainNumber(text);
  return /^\d{8,15}$/.test(digits) ? { address: digits, name: phoneNumber(digits) } : null;
};

interface Props {
  readonly device: Device;
  readonly chosen: readonly Chosen[];
  readonly change: (chosen: readonly Chosen[]) => void;
  /** Why the service refused them. */
  readonly refused: string | null;
}

const Chips = ({ chosen, change }: Pick<Props, 'chosen' | 'change'>) => (
  <ul className="chips" aria-label={words.chosen}>
    {chosen.map((one) => (
      <li key={one.address}>
        {one.name}
        <button
          type="button"
          className="icon"
          aria-label={words.remove(one.name)}
          onClick={() => change(chosen.filter(({ address }) => address !== one.address))}
        >
          ×
        </button>
      </li>
    ))}
  </ul>
);

export const PeopleField = ({ device, chosen, change, refused }: Props) => {
  const [text, setText] = useState('');
  const offered = useOffered(device, useDelayed(text.trim(), searchMs)).filter(
    ({ address }) => text.trim() !== '' && !chosen.some((one) => one.address === address),
  );
  const [error, setError] = useState<string | null>(null);
  const add = (person: Chosen): void => {
    change([...chosen.filter(({ address }) => address !== person.address), person]);
    setText('');
    setError(null);
  };
  const pressed = (key: KeyboardEvent): void => {
    if (key.key !== 'Enter' || text.trim() === '') return;
    key.preventDefault();
    const person = numberIn(text) ?? offered[0];
    if (person === undefined) setError(words.unknown);
    else add(person);
  };
  return (
    <div className="people">
      {chosen.length > 0 && <Chips chosen={chosen} change={change} />}
      <Field
        label={words.label}
        hint={words.hint}
        error={error ?? refused}
        value={text}
        onChange={(input) => setText(input.target.value)}
        onKeyDown={pressed}
        onBlur={() => {
          const person = numberIn(text);
          if (person !== null) add(person);
        }}
      />
      {offered.length > 0 && (
        <ul className="choose-chat" aria-label={words.offered}>
          {offered.map((one) => (
            <li key={one.address}>
              <button type="button" className="quiet wide" onClick={() => add(one)}>
                {one.name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};
