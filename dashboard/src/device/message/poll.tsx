/** A poll. */
import type { Message } from '../../api/message.ts';
import { texts } from '../../texts.ts';
import { icons } from '../../ui/icons.tsx';
import { Part } from './part.tsx';

const words = texts.message.poll;

export const Poll = ({ message: { poll } }: { readonly message: Message }) => {
  if (poll === null) return null;
  const { question, options, maxAnswers } = poll;
  return (
    <Part icon={icons.poll} kind={maxAnswers === 1 ? words.one : words.several(maxAnswers)} title={question}>
      <ul className="options">
        {options.map((option) => (
          <li key={option}>{option}</li>
        ))}
      </ul>
    </Part>
  );
};
