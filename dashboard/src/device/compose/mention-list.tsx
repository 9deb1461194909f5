/** The members of a group whose names begin with what is typed after an `@`. */
import { type KeyboardEvent, useState } from 'react';
import type { Member } from '../../api/group.ts';
import { phoneNumber } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';
import type { NameOf } from '../shown/people.ts';
import { everybody, type Mentioned, typedMention } from './mentions.ts';

const most = 6;

const offeredOf = (members: readonly Member[], nameOf: NameOf, typed: string): readonly Mentioned[] => [
  ...(everybody.name.startsWith(typed.toLowerCase()) ? [everybody] : []),
  ...peopleOf(members, nameOf, typed),
];

const peopleOf = (members: readonly Member[], nameOf: NameOf, typed: string): readonly Mentioned[] =>
  members
    .map(({ person }) => ({ person, name: nameOf(person) }))
    .map(({ person, name }, _, all) => {
      const isShared = all.some((other) => other.person !== person && other.name === name);
      // Two people of the same name must not be confused.
      return {
        person,
        name: isShared ? `${name} (${person.number === null ? person.jid : phoneNumber(person.number)})` : name,
      };
    })
    .filter(({ name, person }) =>
      [name, person.number ?? ''].some((words) =>
        words
          .toLowerCase()
          .split(/[\s+]/)
          .some((word) => word.startsWith(typed.toLowerCase())),
      ),
    )
    .slice(0, most);

export interface MentionPicker {
  readonly offered: readonly Mentioned[];
  readonly active: number;
  /** Call it whenever the caret may have moved. */
  readonly look: (field: HTMLTextAreaElement) => void;
  /** True if the list handled the key. */
  readonly pressed: (key: KeyboardEvent<HTMLTextAreaElement>) => boolean;
  readonly choose: (mentioned: Mentioned) => void;
}

interface PickerOptions {
  /** Empty if nobody can be mentioned. */
  readonly members: readonly Member[];
  readonly nameOf: NameOf;
  readonly field: () => HTMLTextAreaElement | null;
  readonly insert: (text: string, mentioned: Mentioned) => void;
}

export const useMentionPicker = ({ members, nameOf, field, insert }: PickerOptions): MentionPicker => {
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const offered = typed === null ? [] : offeredOf(members, nameOf, typed);
  const choose = (mentioned: Mentioned): void => {
    const element = field();
    if (element === null || typed === null) return;
    const start = element.selectionStart - typed.length;
    const before = element.value.slice(0, start);
    insert(`${before}${mentioned.name} ${element.value.slice(element.selectionStart)}`, mentioned);
    setTyped(null);
    element.focus();
    const caret = start + mentioned.name.length + 1;
    // After the field has the new text.
    requestAnimationFrame(() => element.setSelectionRange(caret, caret));
  };
  const pressed = ({ key }: KeyboardEvent): boolean => {
    const current = offered[Math.min(active, offered.length - 1)];
    if (current === undefined) return false;
    if (key === 'ArrowDown') setActive((active + 1) % offered.length);
    else if (key === 'ArrowUp') setActive((active + offered.length - 1) % offered.length);
    else if (key === 'Enter' || key === 'Tab') choose(current);
    else if (key === 'Escape') setTyped(null);
    else return false;
    return true;
  };
  const look = (element: HTMLTextAreaElement): void => {
    const next = members.length === 0 ? null : typedMention(element.value, element.selectionStart);
    if (next === typed) return;
    setTyped(next);
    setActive(0);
  };
  return { offered, active: Math.min(active, offered.length - 1), look, pressed, choose };
};

interface Props {
  readonly id: string;
  readonly picker: MentionPicker;
}

export const optionId = (id: string, index: number): string => `${id}-${index}`;

export const MentionList = ({ id, picker: { offered, active, choose } }: Props) =>
  offered.length > 0 && (
    <ul className="mention-list" id={id} role="listbox" aria-label={texts.groups.mention}>
      {offered.map((one, index) => (
        <li
          key={one.person?.jid ?? one.name}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === active}
          // Keeps the focus in the field.
          onPointerDown={(press) => press.preventDefault()}
          onClick={() => choose(one)}
        >
          {one.person === null ? texts.groups.mentionAll : one.name}
        </li>
      ))}
    </ul>
  );
