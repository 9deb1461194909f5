/** The dialog for a contact card. */
import { useState } from 'react';
import { texts } from '../../base/texts.ts';
import { FieldError, useForm } from '../../ui/form.ts';
import { Field } from '../../ui/parts.tsx';
import type { Content } from './draft.ts';
import { SendDialog } from './send-dialog.tsx';
import { plainNumber } from '../../base/typed-number.ts';

const words = texts.compose.contact;

interface Props {
  readonly send: (content: Content) => Promise<void>;
  readonly close: () => void;
}

export const ContactDialog = ({ send, close }: Props) => {
  const [name, setName] = useState('');
  const [number, setNumber] = useState('');
  const [organization, setOrganization] = useState('');
  const { errorOf, ...form } = useForm(['name', 'number'], () => {
    const digits = plainNumber(number);
    if (name.trim() === '') throw new FieldError('name', words.needsName);
    if (!/^\d{8,15}$/.test(digits)) throw new FieldError('number', words.needsNumber);
    const company = organization.trim() === '' ? {} : { organization: organization.trim() };
    const contacts = [{ name: name.trim(), numbers: [digits], ...company }];
    return send({ path: 'contact', type: 'contact', text: name.trim(), body: { contacts } });
  });
  return (
    <SendDialog title={words.title} close={close} form={form}>
      <Field
        label={words.name}
        maxLength={100}
        error={errorOf('name')}
        value={name}
        onChange={(input) => setName(input.target.value)}
      />
      <Field
        label={words.number}
        inputMode="tel"
        error={errorOf('number')}
        value={number}
        onChange={(input) => setNumber(input.target.value)}
      />
      <Field
        label={words.organization}
        maxLength={100}
        value={organization}
        onChange={(input) => setOrganization(input.target.value)}
      />
    </SendDialog>
  );
};
