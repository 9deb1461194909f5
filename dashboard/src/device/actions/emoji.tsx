/** The choice of an emoji: the usual ones in the menu of a message, more and any other in a dialog. */
import { type FormEvent, useState } from 'react';
import { texts } from '../../base/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/parts.tsx';

const words = texts.actions;

export const usualEmoji = ['👍', '❤️', '😂', '😮', '😢', '🙏'] as const;

const moreEmoji = [
  ...usualEmoji,
  '👎',
  '👏',
  '🎉',
  '🔥',
  '💯',
  '✅',
  '❌',
  '👀',
  '🤔',
  '😀',
  '😍',
  '🥳',
  '😅',
  '😭',
  '😡',
  '🤝',
  '💪',
  '☕',
] as const;

interface Props {
  readonly choose: (emoji: string) => void;
  readonly close: () => void;
}

export const EmojiDialog = ({ choose, close }: Props) => {
  const [emoji, setEmoji] = useState('');
  const take = (chosen: string): void => {
    close();
    choose(chosen);
  };
  const submit = (form: FormEvent): void => {
    form.preventDefault();
    if (emoji.trim() !== '') take(emoji.trim());
  };
  return (
    <Dialog title={words.reactTitle} close={close}>
      <div className="emoji-grid">
        {moreEmoji.map((one) => (
          <button key={one} type="button" className="icon" aria-label={words.reactWith(one)} onClick={() => take(one)}>
            {one}
          </button>
        ))}
      </div>
      <form className="row align-end" onSubmit={submit}>
        <Field
          label={words.emoji}
          hint={words.emojiHint}
          value={emoji}
          onChange={(input) => setEmoji(input.target.value)}
        />
        <button type="submit" className="primary">
          {words.react}
        </button>
      </form>
    </Dialog>
  );
};
