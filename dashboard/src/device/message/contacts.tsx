/** Shared contacts, each with its numbers. */
import { useState } from 'react';
import type { Message, SharedContact } from '../../api/message.ts';
import { texts } from '../../base/texts.ts';
import { icons } from '../../ui/icons.tsx';
import { Part } from '../shown/part.tsx';

const words = texts.message.contact;
/** As many are shown at first. */
const atFirst = 3;

const Contact = ({ contact: { name, numbers, organization } }: { readonly contact: SharedContact }) => (
  <Part icon={icons.person} title={name ?? words.unnamed}>
    {organization !== null && <span className="dim">{organization}</span>}
    {numbers.map((number) => (
      <span key={number}>{number}</span>
    ))}
  </Part>
);

export const Contacts = ({ message: { contacts } }: { readonly message: Message }) => {
  const [all, setAll] = useState(false);
  return (
    <>
      <ul className="parts">
        {contacts.slice(0, all ? contacts.length : atFirst).map((contact, index) => (
          <li key={index}>
            <Contact contact={contact} />
          </li>
        ))}
      </ul>
      {contacts.length > atFirst && !all && (
        <button type="button" className="link" onClick={() => setAll(true)}>
          {words.all(contacts.length)}
        </button>
      )}
    </>
  );
};
