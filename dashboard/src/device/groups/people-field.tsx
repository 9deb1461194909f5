/** The choice of people, by name or phone number. */
import { type KeyboardEvent, useState } from 'react';
import type { Device } from '../../api/types.ts';
import { texts } from '../../base/texts.ts';
import { FieldError } from '../../ui/form.ts';
import { Field } from '../../ui/parts.tsx';
import { type Chosen, numberIn, Offered, useOffered } from '../shown/contacts.tsx';

const words = texts.groups.people;

/** Chosen people, and what is typed and has not become one. */
export interface People {
  readonly chosen: readonly Chosen[];
  readonly text: string;
}

export const nobody: People = { chosen: [], text: '' };

const joined = (chosen: readonly Chosen[], added: readonly Chosen[]): readonly Chosen[] => [
  ...new Map([...chosen, ...added].map((one) => [one.address, one])).values(),
];

/** The numbers of a list become people; the rest of it stays. */
export const settled = ({ chosen, text }: People): People => {
  const parts = text.split(/[,;\n]/);
  const rest = parts.filter((part) => part.trim() !== '' && numberIn(part) === null);
  return {
    chosen: joined(
      chosen,
      parts.flatMap((part) => numberIn(part) ?? []),
    ),
    text: rest.join(',').trim(),
  };
};

/** Throws FieldError while something that is typed is no person. */
export const addressesIn = ({ chosen, text }: People): readonly string[] => {
  if (text !== '') throw new FieldError('members', words.unknown);
  return chosen.map(({ address }) => address);
};

interface Props {
  readonly device: Device;
  readonly people: People;
  readonly change: (people: People) => void;
  /** Why the service refused them. */
  readonly refused: string | null;
}

interface ChipsProps {
  readonly chosen: readonly Chosen[];
  readonly change: (chosen: readonly Chosen[]) => void;
}

const Chips = ({ chosen, change }: ChipsProps) => (
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

export const PeopleField = ({ device, people, change, refused }: Props) => {
  const { chosen, text } = people;
  const offered = useOffered(device, text).filter(({ address }) => !chosen.some((one) => one.address === address));
  const [error, setError] = useState<string | null>(null);
  const set = (next: People): void => {
    change(next);
    setError(null);
  };
  /** In the place of the last part of what is typed. */
  const add = (person: Chosen): void => {
    const before = text
      .split(/[,;\n]/)
      .slice(0, -1)
      .join(',');
    set(settled({ chosen: joined(chosen, [person]), text: before }));
  };
  const pressed = (key: KeyboardEvent): void => {
    if (key.key !== 'Enter' || text.trim() === '') return;
    key.preventDefault();
    const next = settled(people);
    if (next.text === '') set(next);
    else if (offered[0] !== undefined) add(offered[0]);
    else {
      change(next);
      setError(words.unknown);
    }
  };
  return (
    <div className="people">
      {chosen.length > 0 && <Chips chosen={chosen} change={(left) => change({ chosen: left, text })} />}
      <Field
        label={words.label}
        hint={words.hint}
        error={error ?? refused}
        maxLength={2000}
        value={text}
        onChange={(input) => set({ chosen, text: input.target.value })}
        onKeyDown={pressed}
      />
      <Offered offered={offered} take={add} />
    </div>
  );
};
