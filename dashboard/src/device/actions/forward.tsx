/** The dialog that chooses to whom a message is forwarded. */
import { useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import type { Message } from '../../api/message.ts';
import type { Device } from '../../api/types.ts';
import { addressOf, type Recipient, recipientOf } from '../../outbox/entry.ts';
import { texts } from '../../base/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldError, useForm } from '../../ui/form.ts';
import { Field } from '../../ui/parts.tsx';
import type { Conversation } from '../shown/conversations.ts';

const words = texts.actions;

interface Props {
  readonly device: Device;
  readonly message: Message;
  readonly conversations: readonly Conversation[];
  /** Shows the conversation with the recipient. */
  readonly choose: (chat: string) => void;
  readonly close: () => void;
}

export const Forward = ({ device, message, conversations, choose, close }: Props) => {
  const { outbox } = useAccount();
  const [to, setTo] = useState('');
  const { id, chat, type, text } = message;
  const send = (recipient: Recipient): void => {
    const path = `${encodeURIComponent(id)}/forward?chat=${encodeURIComponent(chat)}`;
    outbox.add({ deviceId: device.id, recipient, path, type, text, body: {} });
    close();
    choose(addressOf(recipient));
  };
  const { errorOf, submit } = useForm(['to'], () => {
    if (to.trim() === '') throw new FieldError('to', texts.compose.needsTo);
    send(recipientOf(to));
  });
  return (
    <Dialog title={words.forwardTitle} close={close}>
      <ul className="choose-chat" aria-label={texts.chat.chats}>
        {conversations.map((one) => (
          <li key={one.chat}>
            <button type="button" className="quiet wide" onClick={() => send({ to: one.chat })}>
              {one.title}
            </button>
          </li>
        ))}
      </ul>
      <form className="row align-end" onSubmit={submit}>
        <Field
          label={words.forwardTo}
          hint={texts.compose.toHint}
          error={errorOf('to')}
          value={to}
          onChange={(input) => setTo(input.target.value)}
        />
        <button type="submit" className="primary">
          {words.forward}
        </button>
      </form>
    </Dialog>
  );
};
