/** The dialog for a contact card. */
import { type FormEvent, useState } from 'react';
import { texts } from '../../base/texts.ts';
import { Field } from '../../ui/parts.tsx';
import type { Content } from './draft.ts';
import { SendDialog } from './send-dialog.tsx';
import { plainNumber } from '../../base/typed-number.ts';

const words = texts.compose.contact;

interface Props {
  readonly send: (content: Content) => void;
  readonly close: () => void;
}

const problemOf = (name: string, number: string): 'name' | 'number' | null => {
  if (name === '') return 'name';
  return /^\d{8,15}$/.test(number) ? null : 'number';
};

export const ContactDialog = ({ send, close }: Props) => {
  const [name, setName] = useState('');
  const [number, setNumber] = useState('');
  const [organization, setOrganization] = useState('');
  const [problem, setProblem] = useState<'name' | 'number' | null>(null);
  const submit = (form: FormEvent): void => {
    form.preventDefault();
    const digits = plainNumber(number);
    const found = problemOf(name.trim(), digits);
    setProblem(found);
    if (found !== null) return;
    const company = organization.trim() === '' ? {} : { organization: organization.trim() };
    const contacts = [{ name: name.trim(), numbers: [digits], ...company }];
    send({ path: 'contact', type: 'contact', text: name.trim(), body: { contacts } });
  };
  return (
    <SendDialog title={words.title} close={close} submit={submit}>
      <Field
        label={words.name}
        maxLength={100}
        error={problem === 'name' ? words.needsName : null}
        value={name}
        onChange={(input) => setName(input.target.value)}
      />
      <Field
        label={words.number}
        inputMode="tel"
        error={problem === 'number' ? words.needsNumber : null}
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
