/** The dialog for a place. */
import { useState } from 'react';
import { texts } from '../../base/texts.ts';
import { FieldError, useForm } from '../../ui/form.ts';
import { Field } from '../../ui/parts.tsx';
import type { Content } from './draft.ts';
import { SendDialog } from './send-dialog.tsx';

const words = texts.compose.location;

interface Props {
  readonly send: (content: Content) => Promise<void>;
  readonly close: () => void;
}

/** `52.52, 13.405`, as maps copy it. Null if it is none. */
const coordinatesIn = (text: string): readonly [number, number] | null => {
  const found = /^\s*(-?\d{1,2}(?:\.\d+)?)(?:\s*[,;]\s*|\s+)(-?\d{1,3}(?:\.\d+)?)\s*$/.exec(text);
  const [latitude, longitude] = [Number(found?.[1]), Number(found?.[2])];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? [latitude, longitude] : null;
};

export const LocationDialog = ({ send, close }: Props) => {
  const [place, setPlace] = useState('');
  const [name, setName] = useState('');
  const [address, setAddress] = useState('');
  const { errorOf, ...form } = useForm(['place'], () => {
    const coordinates = coordinatesIn(place);
    if (coordinates === null) throw new FieldError('place', words.wrong);
    const [latitude, longitude] = coordinates;
    const texted = {
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(address.trim() !== '' && { address: address.trim() }),
    };
    const text = name.trim() || address.trim() || null;
    return send({ path: 'location', type: 'location', text, body: { latitude, longitude, ...texted } });
  });
  return (
    <SendDialog title={words.title} close={close} form={form}>
      <Field
        label={words.place}
        hint={words.placeHint}
        error={errorOf('place')}
        value={place}
        onChange={(input) => setPlace(input.target.value)}
      />
      <Field label={words.name} maxLength={1024} value={name} onChange={(input) => setName(input.target.value)} />
      <Field
        label={words.address}
        maxLength={1024}
        value={address}
        onChange={(input) => setAddress(input.target.value)}
      />
    </SendDialog>
  );
};
