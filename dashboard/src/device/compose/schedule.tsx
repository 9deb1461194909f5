/** Sends at a time: the dialog that asks for it, and what waits in the open conversation. */
import { useEffect, useRef, useState } from 'react';
import { useAccount, useEvents } from '../../account/account.tsx';
import { paths } from '../../api/ahead.ts';
import { useLoad } from '../../api/hooks.ts';
import type { Answer } from '../../api/schemas.ts';
import type { Device } from '../../api/types.ts';
import { fullTime } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldError, useForm } from '../../ui/form.ts';
import { useNotify } from '../../ui/notices.tsx';
import { Action, ErrorText, Field } from '../../ui/parts.tsx';
import type { Conversation } from '../shown/conversations.ts';

const words = texts.compose.schedule;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** As the service has it. */
const maxMs = 90 * 24 * hourMs;

/** `2026-11-27T09:30` of the browser's zone. */
const localOf = (ms: number): string => {
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * minuteMs).toISOString().slice(0, 16);
};

const nextHour = (): number => Math.ceil((Date.now() + minuteMs) / hourMs) * hourMs;

/** RFC 3339. Throws FieldError. */
const timeIn = (local: string): string => {
  const at = new Date(local).getTime();
  if (Number.isNaN(at) || at <= Date.now()) throw new FieldError('sendAt', words.past);
  if (at > Date.now() + maxMs) throw new FieldError('sendAt', words.far);
  return new Date(at).toISOString();
};

interface DialogProps {
  readonly title: string;
  readonly at: number;
  readonly action: string;
  readonly save: (sendAt: string) => Promise<void>;
  readonly close: () => void;
}

const TimeDialog = ({ title, at, action, save, close }: DialogProps) => {
  const notify = useNotify();
  const [local, setLocal] = useState(localOf(at));
  const form = useForm(['sendAt'], async () => {
    const sendAt = timeIn(local);
    await save(sendAt);
    notify.good(words.done(fullTime(sendAt)));
    close();
  });
  return (
    <Dialog title={title} close={close}>
      <form onSubmit={form.submit} noValidate>
        <Field
          label={words.time}
          hint={words.hint}
          type="datetime-local"
          error={form.errorOf('sendAt')}
          min={localOf(Date.now())}
          max={localOf(Date.now() + maxMs)}
          value={local}
          onChange={(input) => setLocal(input.target.value)}
        />
        <ErrorText error={form.error} />
        <div className="row end">
          <button type="submit" className="primary" disabled={form.busy} aria-busy={form.busy}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
};

interface ScheduleProps {
  readonly schedule: (sendAt: string) => Promise<void>;
  readonly close: () => void;
}

export const ScheduleDialog = ({ schedule, close }: ScheduleProps) => (
  <TimeDialog title={words.title} at={nextHour()} action={words.action} save={schedule} close={close} />
);

type Scheduled = Answer<'listScheduled'>['scheduled'][number];

/** No event tells what others schedule or cancel. */
const freshMs = 60_000;

/** Of one chat, the next first. Those of all chats are loaded at once, so that the next chat needs no request. */
const useScheduled = (device: Device, conversation: Conversation | null, changes: number) => {
  const { client, generation } = useAccount();
  const path = `/v1/devices/${device.id}/messages/scheduled`;
  const { chat = null, chatNumber = null, chatLid = null } = conversation ?? {};
  const loadedAt = useRef<number | null>(null);
  const [turn, setTurn] = useState<string | null>(null);
  useEffect(() => {
    if (chat === null || (loadedAt.current !== null && Date.now() - loadedAt.current < freshMs)) return;
    loadedAt.current = Date.now();
    setTurn(chat);
  }, [chat]);
  const load = () => client.get<Answer<'listScheduled'>>(paths.scheduled(device.id));
  const all = useLoad(load, turn === null ? null : `${path} ${generation} ${turn}`);
  const { reload } = all;
  useEffect(() => {
    if (changes > 0) reload();
  }, [changes, reload]);
  useEvents(device.id, ({ type, data }) => {
    const message = type === 'message.sent' ? data.message.id : type === 'message.updated' ? data.messageId : null;
    if (message === null) return;
    // An answer that is on its way may be older than the event.
    const isListed = all.value?.scheduled.some(({ messageId }) => messageId === message) ?? all.error === null;
    if (isListed) reload();
  });
  const names = [chat, chatNumber, chatLid].filter((name) => name !== null);
  const isHere = ({ to, toNumber }: Scheduled): boolean => names.some((name) => name === to || name === toNumber);
  return { waiting: all.value?.scheduled.filter(isHere) ?? [], path, reload };
};

const kindOf = ({ type, text }: Scheduled): string => text ?? words.kinds[type];

interface Props {
  readonly device: Device;
  readonly conversation: Conversation | null;
  /** Increased with each message that is scheduled here. */
  readonly changes: number;
}

export const Waiting = ({ device, conversation, changes }: Props) => {
  const { client } = useAccount();
  const { waiting, path, reload } = useScheduled(device, conversation, changes);
  const [moved, move] = useState<Scheduled | null>(null);
  const save = async (sendAt: string): Promise<void> => {
    await client.put(`${path}/${moved!.messageId}`, { sendAt });
    reload();
  };
  const cancel = async ({ messageId }: Scheduled): Promise<void> => {
    await client.delete(`${path}/${messageId}`);
    reload();
  };
  if (waiting.length === 0) return null;
  return (
    <details className="waiting" key={conversation?.chat}>
      <summary>{words.waiting(waiting.length)}</summary>
      <ul>
        {waiting.map((one) => (
          <li key={one.messageId} className="row between">
            <span className="one-line">
              <time dateTime={one.sendAt}>{fullTime(one.sendAt)}</time>
              {': '}
              {kindOf(one)}
            </span>
            <span className="row">
              <button type="button" className="link" onClick={() => move(one)}>
                {words.change}
              </button>
              <Action className="link" act={() => cancel(one)} done={words.cancelled}>
                {words.cancel}
              </Action>
            </span>
          </li>
        ))}
      </ul>
      {moved !== null && (
        <TimeDialog
          title={words.changeTitle}
          at={Date.parse(moved.sendAt)}
          action={texts.save}
          save={save}
          close={() => move(null)}
        />
      )}
    </details>
  );
};
