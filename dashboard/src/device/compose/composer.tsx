/** The form to write a message: text, files that are chosen, pasted or dropped, and what the menu adds. */
import { texts } from '../../base/texts.ts';
import { type Chosen, numberIn, Offered, useOffered } from '../shown/contacts.tsx';
import { authorOf, type NameOf } from '../shown/people.ts';
import type { Subject } from '../shown/shown.ts';
import { summaryOf } from '../message/summary.ts';
import { type FormEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { icons } from '../../ui/icons.tsx';
import { ErrorText, Field } from '../../ui/parts.tsx';
import { type GroupState, useContactNames } from '../groups/use-group.ts';
import { Attach, AttachDialog, type DialogName } from './attach.tsx';
import { Attachments } from './attachments.tsx';
import { type Draft, type DraftProps, useDraft } from './draft.ts';
import { MentionList, optionId, useMentionPicker } from './mention-list.tsx';
import { canRecord, Recorder } from './recorder.tsx';
import { ScheduleDialog, Waiting } from './schedule.tsx';

interface SubjectBarProps {
  readonly subject: Subject;
  readonly nameOf: NameOf;
  readonly leave: () => void;
}

const SubjectBar = ({ subject: { kind, message }, nameOf, leave }: SubjectBarProps) => (
  <div className="subject">
    <blockquote className="aside">
      <strong>{kind === 'edit' ? texts.compose.editing : texts.compose.replyTo(nameOf(authorOf(message)))}</strong>
      <span className="quote-text">{summaryOf(message, nameOf)}</span>
    </blockquote>
    <button type="button" className="icon" aria-label={texts.compose.leave[kind]} onClick={leave}>
      ×
    </button>
  </div>
);

const words = texts.compose;

interface TextProps {
  readonly device: DraftProps['device'];
  readonly group: GroupState;
  readonly nameOf: NameOf;
}

interface WriteRowProps extends TextProps {
  readonly draft: Draft;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly isConnected: boolean;
  readonly open: (dialog: DialogName | 'schedule') => void;
  readonly leave: () => void;
}

/** Members of the group are offered after an `@`, except in an edit, which has no mentions. */
const usePicker = ({ draft, field, device, group, nameOf }: WriteRowProps) => {
  const all = group === null || group === 'left' || draft.isEdit ? [] : group.group.members;
  const members = all.filter(({ person }) => nameOf(person) !== texts.chat.you);
  const isBegun = members.length > 0 && draft.text.includes('@');
  return useMentionPicker({
    members,
    nameOf: useContactNames(device, nameOf, isBegun),
    field: () => field.current,
    insert: (text, mentioned) => {
      draft.setText(text);
      draft.mention(mentioned);
    },
  });
};

/** Beside the text: the recorder, the clock, and what sends. */
const Buttons = ({ draft, isConnected, open }: WriteRowProps) => (
  <>
    {!draft.isEdit && canRecord() && (
      <Recorder
        take={draft.take}
        fail={(text) => draft.fail(text === null ? null : { field: null, text })}
        disabled={!isConnected}
      />
    )}
    {!draft.isEdit && (
      <button
        type="button"
        className="icon"
        aria-label={words.schedule.title}
        disabled={!isConnected || draft.busy || draft.isEmpty}
        onClick={() => open('schedule')}
      >
        {icons.clock}
      </button>
    )}
    <button type="submit" className="primary" disabled={!isConnected || draft.busy} aria-busy={draft.busy}>
      {draft.isEdit ? texts.save : texts.chat.send}
    </button>
  </>
);

/** Enter sends, Shift+Enter starts a new line, Escape leaves the answer or the edit. */
const WriteRow = (props: WriteRowProps) => {
  const { draft, field, isConnected, open, leave } = props;
  const id = useId();
  const picker = usePicker(props);
  const isWrong = draft.problem !== null && draft.problem.field === 'message';
  const { offered, active } = picker;
  return (
    <>
      <ErrorText id={`${id}-error`} error={isWrong ? (draft.problem?.text ?? null) : null} />
      <div className="write">
        <MentionList id={`${id}-members`} picker={picker} />
        {!draft.isEdit && <Attach take={draft.take} open={open} disabled={!isConnected} />}
        <label className="visually-hidden" htmlFor={id}>
          {words.message}
        </label>
        <textarea
          id={id}
          ref={field}
          rows={Math.min(6, draft.text.split('\n').length)}
          placeholder={draft.attachments.length === 0 ? words.placeholder : words.caption}
          value={draft.text}
          readOnly={draft.busy}
          disabled={!isConnected}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? `${id}-error` : undefined}
          {...(offered.length > 0 && {
            'aria-autocomplete': 'list',
            'aria-controls': `${id}-members`,
            'aria-activedescendant': optionId(`${id}-members`, active),
          })}
          onChange={(change) => {
            draft.setText(change.target.value);
            picker.look(change.target);
          }}
          onSelect={(change) => picker.look(change.currentTarget)}
          onPaste={(paste) => {
            if (!draft.isEdit) draft.take(paste.clipboardData.files);
          }}
          onKeyDown={(key) => {
            if (picker.pressed(key)) return key.preventDefault();
            if (key.key === 'Escape') leave();
            if (key.key !== 'Enter' || key.shiftKey || key.nativeEvent.isComposing) return;
            key.preventDefault();
            draft.send();
          }}
        />
        <Buttons {...props} />
      </div>
    </>
  );
};

/** Chooses a conversation, and focuses the field once it is open. */
const useChooseAndWrite = ({ conversation, choose }: DraftProps, field: RefObject<HTMLTextAreaElement | null>) => {
  const wanted = useRef(false);
  const isOpen = conversation !== null;
  useEffect(() => {
    if (isOpen && wanted.current) field.current?.focus();
    wanted.current = false;
  }, [isOpen, field]);
  return (address: string): void => {
    wanted.current = true;
    choose(address);
  };
};

/** Focuses the field for a reply or an edit. */
const useField = (subject: DraftProps['subject']): RefObject<HTMLTextAreaElement | null> => {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (subject !== null) field.current?.focus();
  }, [subject]);
  return field;
};

const useDrop = (take: (files: Iterable<File>) => void) => {
  const [over, setOver] = useState(false);
  const handlers = {
    onDragOver: (drag: { readonly preventDefault: () => void }) => {
      drag.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (drop: { readonly preventDefault: () => void; readonly dataTransfer: DataTransfer }) => {
      drop.preventDefault();
      setOver(false);
      take(drop.dataTransfer.files);
    },
  };
  return { over, handlers };
};

/** Why writing is not possible; null if it is. */
const refusalOf = (isConnected: boolean, group: GroupState): string | null => {
  if (!isConnected) return words.notConnected;
  if (group === 'left') return texts.groups.notIn;
  return group?.group.announceOnly === true && !group.isAdmin ? texts.groups.announceOnly : null;
};

interface RecipientProps extends Pick<DraftProps, 'device'> {
  readonly draft: Draft;
  readonly error: string | null;
  readonly choose: (address: string) => void;
}

const RecipientField = ({ device, draft, choose, error }: RecipientProps) => {
  const offered = useOffered(device, draft.to);
  const take = ({ address }: Chosen): void => {
    draft.setTo('');
    draft.fail(null);
    choose(address);
  };
  return (
    <div className="people">
      <Field
        label={words.to}
        hint={words.toHint}
        error={error}
        autoFocus={draft.problem?.field === 'to'}
        maxLength={200}
        value={draft.to}
        onChange={(change) => draft.setTo(change.target.value)}
        onKeyDown={(key) => {
          const [first] = offered;
          if (key.key !== 'Enter' || first === undefined || numberIn(draft.to) !== null) return;
          key.preventDefault();
          take(first);
        }}
      />
      <Offered offered={offered} take={take} />
    </div>
  );
};

interface Props extends DraftProps {
  readonly group: GroupState;
  readonly nameOf: NameOf;
}

export const Composer = (props: Props) => {
  const { device, conversation, choose, subject, leaveSubject, nameOf, group } = props;
  const draft = useDraft(props);
  const field = useField(subject);
  const chooseAndWrite = useChooseAndWrite(props, field);
  const refusal = refusalOf(device.status === 'connected', group);
  const isConnected = refusal === null;
  const { over, handlers } = useDrop((files) => {
    if (conversation === null) choose(null);
    if (isConnected && !draft.isEdit) draft.take(files);
  });
  const submit = (form: FormEvent): void => {
    form.preventDefault();
    draft.send();
  };
  const [dialog, open] = useState<DialogName | 'schedule' | null>(null);
  const { problem } = draft;
  const shown = ['file', 'message', ...(conversation === null ? ['to'] : [])];
  const errorOf = (name: string): string | null => (problem?.field === name ? problem.text : null);
  const general = problem !== null && !shown.includes(problem.field ?? '') ? problem.text : null;
  return (
    <>
      <Waiting device={device} conversation={conversation} changes={draft.scheduled} />
      <form
        className={`composer ${over ? 'over' : ''}`}
        onSubmit={submit}
        // A new conversation stays on display from its first input on.
        onFocus={() => conversation === null && choose(null)}
        {...handlers}
      >
        {over && <p className="drop-here">{words.drop}</p>}
        {refusal !== null && <p className="hint">{refusal}</p>}
        {conversation === null && (
          <RecipientField device={device} draft={draft} choose={chooseAndWrite} error={errorOf('to')} />
        )}
        {subject !== null && <SubjectBar subject={subject} nameOf={nameOf} leave={leaveSubject} />}
        <Attachments
          attachments={draft.attachments}
          error={errorOf('file')}
          change={draft.change}
          remove={draft.remove}
          asAlbum={draft.asAlbum}
          setAlbum={draft.setAlbum}
        />
        <ErrorText error={general} />
        <WriteRow {...{ draft, field, isConnected, open, device, group, nameOf }} leave={leaveSubject} />
      </form>
      {dialog === 'schedule' && <ScheduleDialog schedule={draft.schedule} close={() => open(null)} />}
      {dialog !== null && dialog !== 'schedule' && (
        <AttachDialog name={dialog} send={draft.sendContent} close={() => open(null)} />
      )}
    </>
  );
};
